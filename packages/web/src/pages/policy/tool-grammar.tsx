import css from './policy.module.css'

/** The grammar of tool patterns in words. The first line is enough for most rules. */
export function ToolGrammar() {
  return (
    <details className={css.grammar}>
      <summary>How a pattern is written</summary>
      <ul>
        <li>
          A tool has a kind, a place and a name: <code>mcp:files/read</code> is the tool <code>read</code> of the MCP
          server <code>files</code>.
        </li>
        <li>
          The kinds are <code>mcp</code>, <code>fn</code> (functions), <code>http</code>, <code>model</code>,{' '}
          <code>resource</code> and <code>prompt</code>.
        </li>
        <li>
          A star stands for any text inside the place or the name: <code>mcp:files/*</code> is every tool of{' '}
          <code>files</code>, and <code>mcp:*/read*</code> is every tool of any server that begins with{' '}
          <code>read</code>. A pattern has at most four stars.
        </li>
        <li>
          <code>*</code> alone is every call.
        </li>
      </ul>
    </details>
  )
}
