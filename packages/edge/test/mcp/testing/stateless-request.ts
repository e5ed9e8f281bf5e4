/** The `_meta` fields of every request in MCP revision 2026-07-28, which has no sessions. */
export const statelessMeta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}

/**
 * Returns the headers of a request in MCP revision 2026-07-28. They repeat the protocol version and the method of the request.
 */
export const statelessHeaders = (method: string) => ({ 'mcp-protocol-version': '2026-07-28', 'mcp-method': method })
