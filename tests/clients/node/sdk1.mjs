import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { makeVisits } from "./visits.mjs";

await makeVisits({ Client, StreamableHTTPClientTransport });
