import { serverUrl } from '../../api/server-url.ts'
import { startEdge } from '../../words/commands.ts'
import { CopyFrame } from '../actions/copy-frame.tsx'
import { OwnServers } from './own-servers.tsx'
import { State } from './state.tsx'

interface StartEdgeProps {
  /** The key of an agent or of an edge. */
  keyText: string
  /** The agents that the edge serves. Left out for the key of an agent. */
  agents?: readonly string[]
  /** Says which agents the command names. */
  agentsNote?: string
  onCopy?: () => void
  /** Whether the first heartbeat has arrived. Left out where no first heartbeat is expected. */
  isHeard?: boolean
  /** Whether the edge also starts its demonstration server, for a person who has no tool server yet. */
  hasDemoServer?: boolean
}

/** The command that starts an edge, and whether the edge has reported. Every page that hands out a key shows it in this way. */
export function StartEdge(props: StartEdgeProps) {
  const { keyText, agents, agentsNote, onCopy, isHeard, hasDemoServer } = props
  return (
    <>
      <p>
        An edge decides the calls of {agents ? 'its agents, beside them' : 'the agent, beside it'}. Run this command in
        the folder of Mandate, and keep it running. If another edge runs on the same machine, add <code>--port</code>{' '}
        with a free port.
        {hasDemoServer && (
          <>
            {' '}
            The command also starts a demonstration server: tools for a made-up folder in memory, which has no files of
            the machine. Leave out <code>--demo-server</code> to start the edge alone.
          </>
        )}
        {agentsNote && ` ${agentsNote}`}
      </p>
      <CopyFrame
        what="command that starts the edge"
        value={startEdge({ url: serverUrl(), key: keyText, agents, hasDemoServer })}
        {...(onCopy && { onCopy })}
      />
      {!hasDemoServer && <OwnServers />}
      {isHeard !== undefined && (
        <p role="status">
          {isHeard ? (
            <State glyph="live" tone="quiet" word="The first heartbeat has arrived." />
          ) : (
            <State glyph="clock" tone="quiet" word="Waiting for the first heartbeat" />
          )}
        </p>
      )}
    </>
  )
}
