import { useQuery } from '@tanstack/react-query'
import { useParams, useSearch } from '@tanstack/react-router'
import { useEnvironments } from '../../api/environments.ts'
import { read } from '../../api/queries.ts'
import { Unread } from '../../ui/lists/unread.tsx'
import { PageHead } from '../../ui/page/page-head.tsx'
import { Panel } from '../../ui/page/panel.tsx'
import { State } from '../../ui/page/state.tsx'
import { Diff } from '../../ui/texts/diff.tsx'
import { Sentence } from '../../ui/texts/sentence.tsx'
import { toolStates } from '../tools/words.ts'
import { ToolActions } from './actions.tsx'
import { Declarations } from './declarations.tsx'
import { DefinitionPanel } from './definition.tsx'
import { ToolFacts, ToolWarningList } from './facts.tsx'
import { ToolReach } from './reach.tsx'
import css from './tool.module.css'
import { clausesOf, hunksOf, type Tool } from './words.ts'

/** Reports of edges are no events, so the page asks for them. */
const pollMs = 10_000

/** What does the server declare, is it what people pinned, and who may call it? */
export function ToolPage() {
  const { id } = useParams({ from: '/inside/tools/$id' })
  const { data, error, refetch } = useQuery({
    ...read('getTool', { path: { tool_id: id }, query: { include: ['may', 'names'] } }),
    refetchInterval: pollMs,
  })
  if (data) return <ToolView tool={data} />
  return <Unread name="Tool" error={error} onRetry={() => void refetch()} all={{ to: '/tools', text: 'All tools' }} />
}

function ToolView({ tool }: { tool: Tool }) {
  const search = useSearch({ from: '/inside/tools/$id' })
  const { environments } = useEnvironments()
  const pinning = environments?.find(({ id }) => id === tool.environment_id)?.tool_pinning
  const shown = tool.definitions.find(({ hash }) => search.definition && hash.startsWith(search.definition))
  const latest = tool.definitions.find(({ hash }) => hash === tool.latest_hash)
  const definition = shown ?? latest
  const { wrong, fine } = clausesOf(tool, pinning)
  return (
    <>
      <PageHead
        name={tool.tool}
        history={{ resource_type: 'tool', resource_id: tool.id }}
        states={<State {...toolStates[tool.state]} />}
        sentence={<Sentence wrong={wrong} fine={fine} />}
        firstClause={wrong[0]?.text ?? fine ?? ''}
        actions={<ToolActions tool={tool} definition={definition} pinning={pinning} />}
      />
      <div className={css.columns}>
        <div className={css.stack}>
          {tool.diff && (
            <Panel title="What changed" legend={<span className={css.note}>pinned and latest definition</span>}>
              <Diff hunks={hunksOf(tool.diff)} beforeName="Pinned definition" afterName="Latest definition" />
            </Panel>
          )}
          {definition && <DefinitionPanel tool={tool} definition={definition} />}
          <Declarations tool={tool} />
          <ToolReach tool={tool} />
        </div>
        <div className={css.stack}>
          <ToolWarningList warnings={definition?.warnings ?? []} />
          <ToolFacts tool={tool} pinning={pinning} />
        </div>
      </div>
    </>
  )
}
