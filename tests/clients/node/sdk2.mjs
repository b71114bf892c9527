import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { makeVisits } from "./visits.mjs";

await makeVisits({ Client, StreamableHTTPClientTransport });
