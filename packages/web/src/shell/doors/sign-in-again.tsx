import { lazy, Suspense, useSyncExternalStore } from 'react'
import { sessionEnd } from '../../api/session-end.ts'

/** Loads the code of the dialog. Call it while the server can be reached. */
export const loadSignInDialog = () => import('./sign-in-dialog.tsx')
const SignInDialog = lazy(async () => ({ default: (await loadSignInDialog()).SignInDialog }))

/** Asks the person to sign in again if the session ends while a page is open. The page stays as it is. */
export function SignInAgain() {
  const isEnded = useSyncExternalStore(sessionEnd.listen, sessionEnd.read)
  return <Suspense>{isEnded && <SignInDialog />}</Suspense>
}
