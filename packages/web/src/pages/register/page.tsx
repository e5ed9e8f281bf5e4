import { Link, useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { client } from '../../api/client.ts'
import { signedIn } from '../../session/session.ts'
import { Door, doorCss } from '../../shell/doors/door.tsx'
import { Button } from '../../ui/actions/button.tsx'
import { Field, FieldError } from '../../ui/fields/field.tsx'
import { useInvalidFocus } from '../../ui/fields/use-invalid-focus.ts'
import { errorOfField } from '../../words/field-errors.ts'

export function RegisterPage() {
  const navigate = useNavigate()
  const [organization, setOrganization] = useState('')
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [error, setError] = useState<Error>()
  const [isBusy, setBusy] = useState(false)
  const form = useInvalidFocus(error)

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (isBusy) return
    setBusy(true)
    setError(undefined)
    try {
      const { user } = await client.call('register', { body: { organization, display_name: name, email, password } })
      signedIn(user.id)
      await navigate({ to: '/' })
    } catch (failure) {
      setError(failure as Error)
      setBusy(false)
    }
  }

  const { of, rest } = errorOfField(error, ['organization', 'display_name', 'email', 'password'])
  return (
    <Door
      name="Create an organization"
      sentence="You become the owner of a new organization. Its environments are production and development."
    >
      <form ref={form} className={doorCss.form} onSubmit={submit}>
        <Field
          isTall
          isRequired
          label="Organization"
          value={organization}
          onChange={setOrganization}
          autoComplete="organization"
          maxLength={200}
          error={of.organization}
          autoFocus
        />
        <Field
          isTall
          label="Your name"
          value={name}
          onChange={setName}
          autoComplete="name"
          maxLength={200}
          error={of.display_name}
        />
        <Field
          isTall
          isRequired
          label="E-mail"
          type="email"
          value={email}
          onChange={setEmail}
          autoComplete="username"
          maxLength={320}
          error={of.email}
        />
        <Field
          isTall
          isRequired
          label="Password"
          type="password"
          value={password}
          onChange={setPassword}
          autoComplete="new-password"
          maxLength={256}
          hint="At least 10 characters. A few words that nobody would guess are best."
          error={of.password}
        />
        <FieldError text={rest} />
        <div className={doorCss.row}>
          <Button type="submit" look="act tall" isBusy={isBusy}>
            Create an organization
          </Button>
        </div>
      </form>
      <p className={doorCss.note}>
        You have an account? <Link to="/sign-in">Sign in</Link>
      </p>
    </Door>
  )
}
