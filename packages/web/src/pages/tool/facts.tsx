import { Copy, shortId } from '../../ui/actions/copy.tsx'
import { KeyValues } from '../../ui/lists/key-values.tsx'
import { PageLink } from '../../ui/page/page-link.tsx'
import { Panel } from '../../ui/page/panel.tsx'
import { State } from '../../ui/page/state.tsx'
import { ForeignText } from '../../ui/texts/foreign-text.tsx'
import { Name } from '../../ui/texts/name.tsx'
import { Time } from '../../ui/texts/time.tsx'
import { counted, numberOf } from '../../words/words.ts'
import { pinnings } from '../environments/words.ts'
import { toolWarnings } from '../tools/words.ts'
import css from './tool.module.css'
import type { Pinning, Tool } from './words.ts'

/** What a person should look at in the definition. A definition without a warning can still be an attack. */
export function ToolWarningList({ warnings }: Pick<Tool, 'warnings'>) {
  return (
    <Panel title="Warnings" legend={<span className={css.note}>about this definition</span>}>
      {warnings.length === 0 ? (
        <p className={css.note}>
          The automatic checks found nothing. They do not find every attack, so read the definition before you pin it.
        </p>
      ) : (
        <ul className={css.warnings}>
          {warnings.map(({ type, where, detail }) => (
            <li key={`${type} ${where}`}>
              <State {...toolWarnings[type]} />
              <p>
                <span className="mono">
                  <ForeignText text={where} />
                </span>
                : <ForeignText text={detail} />
              </p>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}

/** What is known of the tool. */
export function ToolFacts({ tool, pinning }: { tool: Tool; pinning: Pinning | undefined }) {
  const { names = {}, environment_id: environment, pinned_hashes: pins } = tool
  return (
    <Panel title="Tool">
      <KeyValues
        rows={[
          ['Title', tool.title === null ? undefined : <Name key="title">{tool.title}</Name>],
          ['Blocked because', tool.block_reason === null ? undefined : <Name key="block">{tool.block_reason}</Name>],
          [
            'Environment',
            <PageLink key="environment" to="/tools" search={{ environment_id: environment }}>
              <Name>{names[environment] ?? environment}</Name>
            </PageLink>,
          ],
          ['Tool pinning', pinning && <State key="pinning" {...pinnings[pinning]} />],
          [
            'Server',
            <PageLink key="server" to="/tools" search={{ server: tool.server, environment_id: environment }}>
              <Name>{tool.server}</Name>
            </PageLink>,
          ],
          ['Pins', pins.length === 0 ? 'none' : counted(pins.length, '# definition', '# definitions')],
          ['Labels', tool.labels.length === 0 ? 'none' : tool.labels.join(', ')],
          [
            'Calls in 30 days',
            <PageLink key="calls" to="/decisions" search={{ tool: tool.tool, environment_id: environment }}>
              {`${numberOf(tool.calls_30d)} by ${counted(tool.agents, '# agent', '# agents', 10_000)}`}
            </PageLink>,
          ],
          ['First declared', <Time key="first" at={tool.first_seen_at} />],
          ['Last declared', <Time key="last" at={tool.last_seen_at} />],
          ['Id', <Copy key="id" what="id of the tool" value={tool.id} shown={shortId(tool.id)} />],
        ]}
      />
    </Panel>
  )
}
