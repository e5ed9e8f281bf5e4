/** The fields that each request of the revision without sessions carries. */
export const statelessMeta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** The headers that repeat them. */
export const statelessHeaders = (method: string) => ({ 'mcp-protocol-version': '2026-07-28', 'mcp-method': method })
