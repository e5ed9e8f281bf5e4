import { signOut } from '../../session/session.ts'
import { tell } from '../../ui/dialogs/toast.tsx'

/** Ends the session, or says that the person is still signed in and why. Each button *Sign out* calls this. */
export const signOutOrTell = () =>
  signOut().catch(({ message }: Error) =>
    tell(`You are still signed in. The sign-out failed: ${message}`, { stays: true }),
  )
