/** What each request of the revision without sessions says of itself. */
export const statelessMeta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** And the headers that repeat it. */
export const statelessHeaders = (method: string) => ({ 'mcp-protocol-version': '2026-07-28', 'mcp-method': method })
