import { answerJson, type Exchange } from './exchange.ts'
import { rpcError, upstreamFailed } from './rpc-error.ts'
import { ServerRefused } from './server-refused.ts'

/** Answers a client whose request got no answer of the tool server that may go on, and logs why. */
export function answerFailure(exchange: Exchange, error: unknown): void {
  const { id, passage, response } = exchange
  passage.log.warn({ err: error, server: passage.server }, 'a tool server cannot be reached')
  const { message, status } = error instanceof ServerRefused ? error : unreachable
  answerJson(response, status, rpcError(id, upstreamFailed, message))
}

const unreachable = new ServerRefused('The tool server cannot be reached')
