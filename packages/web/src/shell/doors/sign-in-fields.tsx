import type { SignIn } from '../../session/use-sign-in.ts'
import { Button } from '../../ui/actions/button.tsx'
import { Field } from '../../ui/fields/field.tsx'

interface SignInFieldsProps {
  signIn: SignIn
  autoFocus?: boolean
}

/** The fields of a sign-in after the address: the password, and the code if it is needed. */
export function SignInFields({ signIn, autoFocus = false }: SignInFieldsProps) {
  const { password, setPassword, otp, setOtp, asksCode, byRecoveryCode, error } = signIn
  return (
    <>
      <Field
        isTall
        isRequired
        label="Password"
        type="password"
        value={password}
        onChange={setPassword}
        autoComplete="current-password"
        maxLength={256}
        autoFocus={autoFocus}
        error={asksCode ? undefined : error}
      />
      {asksCode && (
        <Field
          isTall
          isRequired
          isMono
          label={byRecoveryCode ? 'Recovery code' : 'One-time code'}
          value={otp}
          onChange={setOtp}
          inputMode={byRecoveryCode ? 'text' : 'numeric'}
          autoComplete="one-time-code"
          maxLength={100}
          autoFocus
          error={error}
        />
      )}
    </>
  )
}

/** Changes between the one-time code and a recovery code. */
export function ChangeCode({ signIn: { asksCode, byRecoveryCode, changeCode } }: { signIn: SignIn }) {
  if (!asksCode) return null
  return (
    <Button look="plain" onPress={changeCode}>
      {byRecoveryCode ? 'Use a one-time code' : 'Use a recovery code'}
    </Button>
  )
}
