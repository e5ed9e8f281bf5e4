import { CopyFrame } from '../actions/copy-frame.tsx'
import css from './own-servers.module.css'

const example = `{
  "mcpServers": {
    "files": {
      "command": "npx",
      "args": ["@modelcontextprotocol/server-filesystem", "/srv/files"]
    }
  }
}`

/** How an edge that is started here comes between agents and their MCP servers. */
export const OwnServers = () => (
  <details className={css.servers}>
    <summary>Put the edge in front of your MCP servers</summary>
    <p>
      Write the servers into a file, in the format of MCP clients, and add <code>--mcp servers.json</code> to the
      command.
    </p>
    <CopyFrame what="file of servers" value={example} />
    <p>
      Let the client connect to <code>http://127.0.0.1:8090/mcp/files</code>. The last part is the name of the server in
      the file, and rules name its tools <code>mcp:files/…</code>. As <code>Authorization: Bearer</code> the client
      sends the token that the edge writes to <code>~/.mandate/edge/tokens/</code>, in a file with the id of the agent
      as its name. A second edge on the machine needs <code>MANDATE_EDGE_MCP_PORT</code> with another port.
    </p>
    <p>
      A client that starts the server itself gets <code>mandate edge --server files --</code> before the command of the
      server instead, and <code>MANDATE_URL</code> and the key in its variables. The page <code>docs/mcp.md</code>{' '}
      describes both ways.
    </p>
  </details>
)
