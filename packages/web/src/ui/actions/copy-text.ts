import { tell } from '../dialogs/toast.tsx'

/** Copies a text and says so. Returns false if the browser refuses, which it does on every page without https. */
export async function copyText(value: string, what: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(value)
  } catch {
    tell(
      window.isSecureContext
        ? `The browser did not copy the ${what}. Select the text and copy it yourself.`
        : `The browser copies only on pages with https. Select the ${what} and copy it yourself.`,
    )
    return false
  }
  tell(`Copied the ${what}.`)
  return true
}
