import { leave, signedInAgain, useSession } from '../../session/session.ts'
import { useSignIn } from '../../session/use-sign-in.ts'
import { Button } from '../../ui/actions/button.tsx'
import { Dialog } from '../../ui/dialogs/dialog.tsx'
import { Name } from '../../ui/texts/name.tsx'
import { OtherWays } from './other-ways.tsx'
import { ChangeCode, SignInFields } from './sign-in-fields.tsx'

/** Asks the person whose session has ended to sign in again. */
export function SignInDialog() {
  const { email } = useSession().user
  const signIn = useSignIn({ onSignedIn: ({ user }) => signedInAgain(user.id) })
  const foot = (
    <>
      <Button onPress={leave}>Leave this page</Button>
      <Button type="submit" look="act" isBusy={signIn.isBusy}>
        Sign in
      </Button>
    </>
  )
  return (
    // It stays until the person has signed in or leaves.
    <Dialog title="Sign in again" onClose={() => {}} foot={foot} onSubmit={() => void signIn.submit(email)}>
      <p>
        Your session has ended, or you were removed from the organization. Sign in as <Name>{email}</Name> to continue.
        What you typed on this page is still there.
      </p>
      {/* Tells password managers whose password this is. */}
      <input type="email" autoComplete="username" value={email} readOnly hidden />
      <SignInFields signIn={signIn} autoFocus />
      <ChangeCode signIn={signIn} />
      <OtherWays email={email} inNewTab />
    </Dialog>
  )
}
