import { useQuery } from '@tanstack/react-query'
import { read } from '../../api/queries.ts'
import { StartEdge } from '../../ui/page/start-edge.tsx'
import { Failed, Loading } from '../../ui/texts/notes.tsx'
import { mostNamed, namedAgents } from './words.ts'

interface StartOwnKeyEdgeProps {
  /** The environment of the edge. */
  environmentId: string
  /** The key of the edge, or its beginning. */
  keyText: string
  onCopy?: () => void
  isHeard: boolean
}

/** The command that starts an edge with a key of its own. It names the agents of the environment. */
export function StartOwnKeyEdge({ environmentId, ...rest }: StartOwnKeyEdgeProps) {
  const query = { environment_id: environmentId, page_size: mostNamed }
  const governed = useQuery(read('listAgents', { query }))
  const discovered = useQuery(read('listAgents', { query: { ...query, governance_state: 'discovered' } }))
  const failed = governed.error ?? discovered.error
  if (failed)
    return <Failed error={failed} onRetry={() => void Promise.all([governed.refetch(), discovered.refetch()])} />
  if (!governed.data || !discovered.data) return <Loading rows={4} />
  return <StartEdge {...namedAgents([governed.data, discovered.data])} {...rest} />
}
