// The official TypeScript SDK's server: stateless, with plain JSON answers as long as ours, in several processes.
// It is told its port and the number of processes, and by SDK_BENCH the arguments of each tool and how long each
// answer shall be.
import cluster from "node:cluster";
import { createServer } from "node:http";
import { NodeStreamableHTTPServerTransport } from "@modelcontextprotocol/node";
import { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";

const [port, workers] = process.argv.slice(2).map(Number);
const told = JSON.parse(process.env.SDK_BENCH);
// The descriptions make up nearly all of the list's length
const description = "x".repeat(told["tools/list"] / Object.keys(told.tools).length);
const tools = Object.entries(told.tools).map(([name, tool]) => [name, declared(tool), answering(tool.size)]);

// Workers end with the first process
if (cluster.isPrimary) {
  for (let number = 0; number < workers; number += 1) cluster.fork();
} else {
  createServer(answer).listen(port, "127.0.0.1");
}

// Without sessions a request has a server and a transport of its own, as the SDK's own examples have it
async function answer(request, response) {
  const server = new McpServer({ name: "bench", version: "1" }, { instructions: "x".repeat(told.initialize) });
  for (const tool of tools) server.registerTool(...tool);
  const transport = new NodeStreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true });
  response.on("close", () => server.close());
  await server.connect(transport);
  await transport.handleRequest(request, response);
}

function declared(tool) {
  const types = { boolean: z.boolean, number: z.number, string: z.string };
  const shape = Object.entries(tool.arguments).map(([name, value]) => [name, types[typeof value]()]);
  return { description, inputSchema: z.object(Object.fromEntries(shape)) };
}

function answering(size) {
  const text = "x".repeat(size);
  return () => ({ content: [{ type: "text", text }], isError: false });
}
