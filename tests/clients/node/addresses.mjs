// Loaded before a client: names listed in NAMES_OF_THIS_MACHINE stand for this machine, as a resolver would have it.
import dns from "node:dns";

const names = new Set((process.env.NAMES_OF_THIS_MACHINE ?? "").split(","));
const lookup = dns.lookup;
dns.lookup = (host, ...rest) => lookup(names.has(host) ? "127.0.0.1" : host, ...rest);
