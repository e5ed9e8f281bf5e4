import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { localPath } from '../../session/local-path.ts'
import { signedIn } from '../../session/session.ts'
import { useSignIn } from '../../session/use-sign-in.ts'
import { Door, doorCss } from '../../shell/doors/door.tsx'
import { OtherWays } from '../../shell/doors/other-ways.tsx'
import { ChangeCode, SignInFields } from '../../shell/doors/sign-in-fields.tsx'
import { useMailToken } from '../../shell/doors/use-mail-token.ts'
import { Button } from '../../ui/actions/button.tsx'
import { Field } from '../../ui/fields/field.tsx'
import { providerErrors } from './provider-errors.ts'

export function SignInPage() {
  const { next, token, error: providerError } = useSearch({ from: '/sign-in' })
  const mailToken = useMailToken(token)
  const navigate = useNavigate()
  const [email, setEmail] = useState('')
  const signIn = useSignIn({
    mailToken,
    error: providerError && providerErrors(providerError),
    onSignedIn: async ({ user }) => {
      signedIn(user.id)
      await navigate({ to: localPath(next), replace: true })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void signIn.submit(email)
  }
  const { asksCode, byRecoveryCode, isBusy } = signIn
  return (
    <Door
      name="Sign in"
      sentence={
        asksCode
          ? `Your password is correct. Now enter ${byRecoveryCode ? 'one of your recovery codes' : 'the code from your authenticator app'}.`
          : 'Sign in to see and decide what agents do.'
      }
    >
      <form className={doorCss.form} onSubmit={submit}>
        <Field
          isTall
          isRequired
          label="E-mail"
          type="email"
          value={email}
          onChange={(next) => {
            setEmail(next)
            if (asksCode) signIn.startAgain()
          }}
          autoComplete="username"
          maxLength={320}
          autoFocus
        />
        <SignInFields signIn={signIn} />
        <div className={doorCss.row}>
          <Button type="submit" look="act tall" isBusy={isBusy}>
            Sign in
          </Button>
          <ChangeCode signIn={signIn} />
          <Link className={doorCss.aside} to="/forgot-password">
            Forgot password
          </Link>
        </div>
        <OtherWays email={email} next={next} />
      </form>
      <p className={doorCss.note}>
        No organization yet? <Link to="/register">Create an organization</Link>
      </p>
    </Door>
  )
}
