// Visits by an official TypeScript client: prints what it saw as a line of JSON.
export async function makeVisits({ Client, StreamableHTTPClientTransport }) {
  const seen = [];
  for (const place of JSON.parse(process.argv[2]).visits) {
    const client = new Client({ name: "tests", version: "1" });
    const requestInit = { headers: place.headers };
    await client.connect(new StreamableHTTPClientTransport(new URL(place.url), { requestInit }));
    seen.push(await visit(client, place.calls));
    await client.close();
  }
  console.log(JSON.stringify(seen));
}

async function visit(client, calls) {
  const { tools } = await client.listTools();
  const outcomes = [];
  for (const call of calls) outcomes.push(await outcome(client, call));
  return {
    version: client.getNegotiatedProtocolVersion?.() ?? client.transport.protocolVersion,
    server: client.getServerVersion().name,
    tools: tools.map((tool) => tool.name),
    resources: (await client.listResources()).resources.length,
    prompts: (await client.listPrompts()).prompts.length,
    outcomes,
    pong: await client.ping(),
  };
}

// What a call came to; the client itself holds the result against the tool's schema
async function outcome(client, call) {
  try {
    const result = await client.callTool(call);
    return { isError: result.isError, text: result.content[0].text, structured: result.structuredContent ?? null };
  } catch (error) {
    return { code: error.code, message: error.message };
  }
}
