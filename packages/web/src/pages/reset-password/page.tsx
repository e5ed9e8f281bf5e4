import { MandateError } from '@mandate/sdk'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useWrite } from '../../api/queries.ts'
import { Door, doorCss } from '../../shell/doors/door.tsx'
import { useMailToken } from '../../shell/doors/use-mail-token.ts'
import { Button } from '../../ui/actions/button.tsx'
import { tell } from '../../ui/dialogs/toast.tsx'
import { Field, FieldError } from '../../ui/fields/field.tsx'
import { useInvalidFocus } from '../../ui/fields/use-invalid-focus.ts'
import { errorOfField } from '../../words/field-errors.ts'

/** Sets a new password by a mailed link. */
export function ResetPasswordPage() {
  const token = useMailToken(useSearch({ from: '/reset-password' }).token) ?? ''
  const navigate = useNavigate()
  const [password, setPassword] = useState('')
  const { mutate, error, isPending } = useWrite('resetPassword')
  const form = useInvalidFocus(error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isPending) return
    const onSuccess = () => {
      tell('Your new password is set. Sign in with it.')
      void navigate({ to: '/sign-in', replace: true })
    }
    mutate({ body: { token, password } }, { onSuccess })
  }
  if (token === '')
    return (
      <Door name="New password" sentence="The link is incomplete.">
        <NewLink />
      </Door>
    )
  const isGone = error instanceof MandateError && error.status === 410
  const { of, rest } = errorOfField(error, ['password'])
  return (
    <Door name="New password" sentence="Choose a new password. Every session of your account then ends.">
      <form ref={form} className={doorCss.form} onSubmit={submit}>
        <Field
          isTall
          isRequired
          label="New password"
          type="password"
          value={password}
          onChange={setPassword}
          autoComplete="new-password"
          maxLength={256}
          hint="At least 10 characters. A few words that nobody would guess are best."
          error={of.password}
          autoFocus
        />
        <FieldError text={rest} />
        {isGone && <NewLink />}
        <div className={doorCss.row}>
          <Button type="submit" look="act tall" isBusy={isPending}>
            Set the password
          </Button>
        </div>
      </form>
    </Door>
  )
}

function NewLink() {
  return (
    <p>
      Only the link of the newest mail works, once, for an hour. <Link to="/forgot-password">Ask for a new link</Link>
    </p>
  )
}
