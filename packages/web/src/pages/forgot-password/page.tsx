import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useWrite } from '../../api/queries.ts'
import { Door, doorCss } from '../../shell/doors/door.tsx'
import { Button } from '../../ui/actions/button.tsx'
import { Field, FieldError } from '../../ui/fields/field.tsx'
import { errorOfOnlyField } from '../../words/field-errors.ts'

/** Asks for a mail with a link to choose a new password. */
export function ForgotPasswordPage() {
  const [email, setEmail] = useState('')
  const { mutate, data, error, isPending } = useWrite('forgotPassword')
  const { of, rest } = errorOfOnlyField(error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isPending) mutate({ body: { email } })
  }
  return (
    <Door name="Forgot password" sentence="Mandate mails you a link to choose a new password.">
      <form className={doorCss.form} onSubmit={submit}>
        <Field
          isTall
          isRequired
          label="E-mail"
          type="email"
          value={email}
          onChange={setEmail}
          autoComplete="username"
          maxLength={320}
          error={of}
          autoFocus
        />
        <FieldError text={rest} />
        <div className={doorCss.row}>
          <Button type="submit" look="act tall" isBusy={isPending}>
            Send the link
          </Button>
        </div>
        <p role="status">{data && `${data.message} It works once, for an hour.`}</p>
      </form>
      <p className={doorCss.note}>No mail? Ask the person who runs this server.</p>
      <p className={doorCss.note}>
        You know your password? <Link to="/sign-in">Sign in</Link>
      </p>
    </Door>
  )
}
