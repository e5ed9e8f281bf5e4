import { MandateError, type Schema } from '@mandate/sdk'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { client } from '../../api/client.ts'
import { signedIn } from '../../session/session.ts'
import { doorCss } from '../../shell/doors/door.tsx'
import { OtherWays } from '../../shell/doors/other-ways.tsx'
import { Button } from '../../ui/actions/button.tsx'
import { Field, FieldError } from '../../ui/fields/field.tsx'
import { useInvalidFocus } from '../../ui/fields/use-invalid-focus.ts'
import { KeyValues } from '../../ui/lists/key-values.tsx'
import { Name } from '../../ui/texts/name.tsx'
import { TimeAhead } from '../../ui/texts/time.tsx'
import { errorOfField } from '../../words/field-errors.ts'
import { ownRole } from '../../words/words.ts'

/** Accepts an invitation with a new password, or with the password of the account that the address has. */
export function AcceptForm({ token, invitation }: { token: string; invitation: Schema<'InvitationPreview'> }) {
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const [otp, setOtp] = useState('')
  const [asksCode, setAsksCode] = useState(false)
  const [error, setError] = useState<Error>()
  const [isBusy, setBusy] = useState(false)
  const form = useInvalidFocus(error)

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (isBusy) return
    setBusy(true)
    setError(undefined)
    try {
      const code = asksCode && otp.trim() !== '' ? { otp: otp.trim() } : {}
      const displayName = name.trim() === '' ? {} : { display_name: name }
      const { user } = await client.call('acceptInvitation', { body: { token, password, ...displayName, ...code } })
      signedIn(user.id)
      await navigate({ to: '/', replace: true })
    } catch (failure) {
      const wantsCode = failure instanceof MandateError && failure.code === 'mfa_required'
      setAsksCode(asksCode || wantsCode)
      // The first answer only asks for the code. After a code, it says that the code is wrong.
      setError(wantsCode && !asksCode ? undefined : (failure as Error))
      setBusy(false)
    }
  }

  const isWrongPassword = !asksCode && error instanceof MandateError && error.status === 401
  const { of, rest } = errorOfField(isWrongPassword ? undefined : error, ['password', 'display_name'])
  return (
    <form ref={form} className={doorCss.form} onSubmit={submit}>
      <KeyValues
        rows={[
          ['Address', <Name key="address">{invitation.email}</Name>],
          ['Role', ownRole(invitation)],
          ['Expires', <TimeAhead key="expires" at={invitation.expires_at} />],
        ]}
      />
      {/* Tells password managers whose password this is. */}
      <input type="email" autoComplete="username" value={invitation.email} readOnly hidden />
      <Field
        isTall
        label="Your name"
        value={name}
        onChange={setName}
        autoComplete="name"
        maxLength={200}
        error={of.display_name}
        autoFocus
      />
      <Field
        isTall
        isRequired
        label="Password"
        type="password"
        value={password}
        onChange={setPassword}
        maxLength={256}
        hint="Choose a password of at least 10 characters. If your address has an account, enter its password."
        error={isWrongPassword ? error.message : of.password}
      />
      {asksCode && (
        <Field
          isTall
          isRequired
          isMono
          label="One-time code"
          hint="Or one of your recovery codes."
          value={otp}
          onChange={setOtp}
          autoComplete="one-time-code"
          maxLength={100}
          autoFocus
          error={rest}
        />
      )}
      <FieldError text={asksCode ? undefined : rest} />
      <div className={doorCss.row}>
        <Button type="submit" look="act tall" isBusy={isBusy}>
          Join
        </Button>
      </div>
      <OtherWays email={invitation.email} invitation={token} />
    </form>
  )
}
