import { type Answer, MandateError } from '@mandate/sdk'
import { useState } from 'react'
import { client } from '../api/client.ts'

interface SignInOptions {
  /** The token of a mailed link, which a sign-in from a new device may need. */
  mailToken?: string | undefined
  /** Why a sign-in before this page failed. */
  error?: string | undefined
  onSignedIn: (answer: Answer<'signIn'>) => unknown
}

/** The state of a sign-in with a password, and with a code if the account has a second factor. */
export function useSignIn({ mailToken, error: firstError, onSignedIn }: SignInOptions) {
  const [password, setPassword] = useState('')
  const [otp, setOtp] = useState('')
  const [asksCode, setAsksCode] = useState(false)
  const [byRecoveryCode, setByRecoveryCode] = useState(false)
  const [error, setError] = useState(firstError)
  const [isBusy, setBusy] = useState(false)

  const submit = async (email: string) => {
    if (isBusy) return
    setBusy(true)
    setError(undefined)
    try {
      const code = asksCode && otp.trim() !== '' ? { otp: otp.trim() } : {}
      const proof = mailToken === undefined ? {} : { mail_token: mailToken }
      await onSignedIn(await client.call('signIn', { body: { email, password, ...code, ...proof } }))
    } catch (failure) {
      const wantsCode = failure instanceof MandateError && failure.code === 'mfa_required'
      setAsksCode(asksCode || wantsCode)
      // The first answer only asks for the code. After a code, it says that the code is wrong.
      setError(wantsCode && !asksCode ? undefined : (failure as Error).message)
    } finally {
      setBusy(false)
    }
  }
  // The code was asked for after a right password. With another password or address, nothing is known yet.
  const startAgain = () => {
    setAsksCode(false)
    setByRecoveryCode(false)
    setOtp('')
    setError(undefined)
  }
  const typePassword = (next: string) => {
    setPassword(next)
    if (asksCode) startAgain()
  }
  const changeCode = () => setByRecoveryCode(!byRecoveryCode)
  return {
    password,
    setPassword: typePassword,
    otp,
    setOtp,
    asksCode,
    byRecoveryCode,
    changeCode,
    /** For another address. */
    startAgain,
    error,
    isBusy,
    submit,
  }
}

export type SignIn = ReturnType<typeof useSignIn>
