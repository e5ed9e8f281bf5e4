import { useEffect, useRef } from 'react'

/** Moves the focus to the first field that the server refused. Returns the ref of the form. @param error the error of the last request */
export function useInvalidFocus(error: Error | null | undefined) {
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (error) form.current?.querySelector<HTMLInputElement>('[aria-invalid]')?.focus()
  }, [error])
  return form
}
