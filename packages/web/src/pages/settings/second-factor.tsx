import { useState } from 'react'
import { useWrite } from '../../api/queries.ts'
import { useSession } from '../../session/session.ts'
import { Button } from '../../ui/actions/button.tsx'
import { Copy } from '../../ui/actions/copy.tsx'
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx'
import { useDialog } from '../../ui/dialogs/use-dialog.ts'
import { Field } from '../../ui/fields/field.tsx'
import { Secret } from '../../ui/fields/secret.tsx'
import { Panel } from '../../ui/page/panel.tsx'
import { State } from '../../ui/page/state.tsx'
import { errorOfOnlyField } from '../../words/field-errors.ts'
import { QrCode } from './qr-code.tsx'
import css from './settings.module.css'
import { factorNote } from './words.ts'

/** The second factor of the person who is signed in. */
export function SecondFactor() {
  const { user } = useSession()
  const dialog = useDialog({ 'second-factor': undefined })
  const { mfa_enrolled: has, federated } = user
  return (
    <Panel
      title="Second factor"
      legend={
        has ? (
          <State glyph="approved" word="Enrolled" tone="quiet" />
        ) : federated ? (
          <State glyph="info" word="By sign-in provider" tone="quiet" />
        ) : (
          <State glyph="warn" word="None" tone="deny" />
        )
      }
    >
      <p className={css.note}>{factorNote(user)}</p>
      <div className={css.row}>
        <Button look={has || federated ? undefined : 'act'} onPress={() => dialog.open('second-factor')}>
          {has ? 'Replace the second factor' : 'Set up the second factor'}
        </Button>
      </div>
      {dialog.name === 'second-factor' && <Enrolment onClose={dialog.close} />}
    </Panel>
  )
}

/** The steps of the enrolment: the password, the QR code with the first code, and the recovery codes. */
function Enrolment({ onClose }: { onClose: () => void }) {
  const [password, setPassword] = useState('')
  const [otp, setOtp] = useState('')
  const start = useWrite('startTotp')
  const confirm = useWrite('confirmTotp')
  if (confirm.data) {
    return (
      <Secret
        title="Your recovery codes"
        what="recovery codes"
        value={confirm.data.recovery_codes.join('\n')}
        onClose={onClose}
      >
        <p>Each code opens your account once if you lose your phone. Keep them where you keep your passwords.</p>
      </Secret>
    )
  }
  const { secret, otpauth_url } = start.data ?? {}
  const isStarted = secret !== undefined && otpauth_url !== undefined
  const { of, rest } = errorOfOnlyField(isStarted ? confirm.error : start.error)
  return (
    <FormDialog
      title="Set up the second factor"
      verb={isStarted ? 'Confirm' : 'Continue'}
      act={() =>
        isStarted ? confirm.mutateAsync({ body: { otp: otp.trim() } }) : start.mutateAsync({ body: { password } })
      }
      isBusy={start.isPending || confirm.isPending}
      fault={rest}
      onClose={onClose}
    >
      {isStarted ? (
        <>
          <p>Scan the code with your authenticator app, or type the secret into it. Then enter the first code.</p>
          <QrCode text={otpauth_url} label="QR code with the secret of the second factor" />
          <p>
            Secret <Copy what="secret" value={secret} />
          </p>
          <Field
            key="otp"
            label="One-time code"
            value={otp}
            onChange={setOtp}
            error={of}
            inputMode="numeric"
            autoComplete="one-time-code"
            isMono
            maxLength={100}
            hint="Your other sessions end when the factor is in force."
            autoFocus
          />
        </>
      ) : (
        <Field
          key="password"
          label="Your password"
          type="password"
          value={password}
          onChange={setPassword}
          error={of}
          autoComplete="current-password"
          maxLength={256}
          autoFocus
        />
      )}
    </FormDialog>
  )
}
