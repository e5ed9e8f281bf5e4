import { type Client, createClient, MandateError, type OperationId } from '@mandate/sdk'
import { plansWith } from '../words/plans.ts'
import { queryClient } from './query-client.ts'
import { serverUrl } from './server-url.ts'
import { untilSignedInAgain } from './session-end.ts'
import { showWait } from './waits.ts'

const sdk = createClient({
  url: serverUrl(),
  session: 'cookie',
  onSessionEnd: untilSignedInAgain,
  onRetry: ({ status, waitMs }) => status === 429 && showWait(waitMs, false),
})

let gate: Promise<void> | undefined

/**
 * Makes calls of the API wait, because the server refuses those that arrive after a sign-out. The sign-out itself does not wait. Returns a
 * function that lets the calls continue.
 */
export function holdCalls(): () => void {
  const { promise, resolve } = Promise.withResolvers<void>()
  gate = promise
  return () => {
    gate = undefined
    resolve()
  }
}

const mayStart = async (operation: OperationId) => (operation === 'signOut' ? undefined : await gate)

/** Calls the API as the person who is signed in. The access token is in memory only, the refresh token in a cookie that scripts cannot read. */
export const client: Client = {
  call: (operation, ...input) =>
    mayStart(operation)
      .then(() => sdk.call(operation, ...input))
      .catch(noticeRefusal),
  open: (operation, ...input) =>
    mayStart(operation)
      .then(() => sdk.open(operation, ...input))
      .catch(noticeRefusal),
}

const session: OperationId = 'getSession'

function noticeRefusal(error: unknown): never {
  if (error instanceof MandateError) {
    // The rights of the person may have changed since the page was read.
    if (error.status === 403) void queryClient.invalidateQueries({ queryKey: [session] })
    // The browser's own text, such as “Failed to fetch”, does not help the reader.
    if (error.code === 'unreachable') error.message = 'The server cannot be reached. Check your connection.'
    if (error.status === 402) error.message = withPlans(error)
    if (error.status === 429 && error.retryAfterMs !== undefined) showWait(error.retryAfterMs, true)
  }
  throw error
}

/** The text of a refusal for the plan of the organization, with the plans that include the feature. */
const withPlans = ({ message, body }: MandateError) =>
  [message, plansWith((body as { minimum_plan?: unknown } | undefined)?.minimum_plan)].filter(Boolean).join(' ')
