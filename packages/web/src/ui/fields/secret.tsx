import { useBlocker } from '@tanstack/react-router'
import { type ReactNode, useId, useState } from 'react'
import { Button } from '../actions/button.tsx'
import { copyText } from '../actions/copy-text.ts'
import { Dialog } from '../dialogs/dialog.tsx'
import css from './secret.module.css'

interface SecretProps {
  title: string
  /** What the secret is, such as "key". */
  what: string
  /** The secret. It is never shown again. Several lines are several secrets. */
  value: string
  onClose: () => void
  /** Called in place of `onClose` if the person leaves without the secret. */
  onLeave?: () => void
  /** What to do with the secret. What contains the secret itself calls `onStored` when it is copied. */
  children?: ReactNode | ((onStored: () => void) => ReactNode)
}

/** A secret that is shown once. Leaving before it was copied asks once. */
export function Secret({ title, what, value, onClose, onLeave = onClose, children }: SecretProps) {
  const id = useId()
  const [isCopied, setCopied] = useState(false)
  const [asks, setAsks] = useState(false)
  const blocker = useBlocker({
    shouldBlockFn: () => !isCopied,
    enableBeforeUnload: () => !isCopied,
    withResolver: true,
  })
  const isAsking = asks || blocker.status === 'blocked'
  const onStored = () => {
    setCopied(true)
    setAsks(false)
  }
  const copy = async () => {
    if (await copyText(value, what)) onStored()
  }
  const leave = () => (blocker.status === 'blocked' ? blocker.proceed() : onLeave())
  const stay = () => {
    setAsks(false)
    blocker.reset?.()
  }
  const foot = isAsking ? (
    <>
      <Button onPress={stay} autoFocus>
        Stay
      </Button>
      <Button look="danger" onPress={leave}>
        Leave without it
      </Button>
    </>
  ) : (
    <Button look="act" onPress={onClose}>
      I stored it
    </Button>
  )
  return (
    <Dialog title={title} onClose={() => (isCopied ? onClose() : setAsks(true))} foot={foot} isWide>
      <p id={id}>The {what} is shown once. Mandate keeps only what it needs to check it.</p>
      <div className={css.frame}>
        <pre aria-describedby={id}>
          <code>{value}</code>
        </pre>
        <Button look="act" glyph="copy" onPress={copy} autoFocus name={`Copy the ${what}`}>
          Copy
        </Button>
      </div>
      {typeof children === 'function' ? children(onStored) : children}
      <div role="alert">
        {isAsking && (
          <p className={css.ask}>You have not copied the {what}. If you leave now, nobody can read it again.</p>
        )}
      </div>
    </Dialog>
  )
}
