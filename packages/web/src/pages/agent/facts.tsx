import { Copy, shortId } from '../../ui/actions/copy.tsx'
import { KeyValues } from '../../ui/lists/key-values.tsx'
import { Panel } from '../../ui/page/panel.tsx'
import { modeLooks } from '../../ui/page/states.ts'
import { ForeignText } from '../../ui/texts/foreign-text.tsx'
import { Name } from '../../ui/texts/name.tsx'
import { Time } from '../../ui/texts/time.tsx'
import { sourceWords } from '../platforms/words.ts'
import css from './agent.module.css'
import type { Agent } from './words.ts'

/** Who the agent is. Name, description and metadata are the words of those who registered it. */
export function Facts({ agent }: { agent: Agent }) {
  const { id, owner_user_id, environment, governance_mode, framework, model, source, description, tools, metadata } =
    agent
  const names = agent.names ?? {}
  return (
    <Panel title="Agent">
      <KeyValues
        rows={[
          ['Id', <Copy key="id" what="id" value={id} shown={shortId(id)} />],
          ['Description', description ? <ForeignText key="about" text={description} /> : undefined],
          ['Owner', owner_user_id ? <Name key="owner">{names[owner_user_id] ?? 'a removed person'}</Name> : 'Nobody'],
          ['Environment', environment ? <Name key="place">{environment.name}</Name> : 'None'],
          ['Enforcement', governance_mode ? modeLooks[governance_mode].word : 'No policy is assigned'],
          ['Framework', framework ? <ForeignText key="framework" text={framework} /> : undefined],
          ['Model', model ? <ForeignText key="model" text={model} /> : undefined],
          [
            'Declared tools',
            tools.length > 0 ? (
              <ul key="tools" className={css.plain}>
                {tools.map((tool) => (
                  <li key={tool}>
                    <ForeignText text={tool} />
                  </li>
                ))}
              </ul>
            ) : undefined,
          ],
          ['Comes from', sourceWords[source]],
          ['Heartbeat', agent.last_heartbeat_at ? <Time key="beat" at={agent.last_heartbeat_at} /> : 'Never'],
          ['Registered', <Time key="created" at={agent.created_at} />],
          [
            'Metadata',
            Object.keys(metadata).length > 0 ? (
              <ul key="metadata" className={css.plain}>
                {Object.entries(metadata).map(([name, value]) => (
                  <li key={name}>
                    <ForeignText text={name} />: <ForeignText text={value} />
                  </li>
                ))}
              </ul>
            ) : undefined,
          ],
        ]}
      />
    </Panel>
  )
}
