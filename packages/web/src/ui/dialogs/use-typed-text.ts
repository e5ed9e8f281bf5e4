import { type FocusEvent, type FormEvent, useEffect, useRef } from 'react'

type Control = HTMLInputElement | HTMLTextAreaElement

// Passwords, one-time codes and searches do not count: a person can enter them again without effort.
const isText = (target: EventTarget): target is Control =>
  (target instanceof HTMLTextAreaElement ||
    (target instanceof HTMLInputElement && ['text', 'email', 'number'].includes(target.type))) &&
  target.autocomplete !== 'one-time-code' &&
  target.closest('[data-unasked]') === null

/** Finds out whether a person typed text into a form. This text is lost if the form closes. */
export function useTypedText() {
  const form = useRef<HTMLFormElement>(null)
  const before = useRef(new Map<Control, string>())
  const typed = useRef(new Set<Control>())
  const isSent = useRef(false)
  const store = (target: EventTarget) => {
    if (isText(target) && !before.current.has(target)) before.current.set(target, target.value)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the fields that the form has at first
  useEffect(() => {
    for (const control of form.current?.elements ?? []) store(control)
  }, [])
  const isAny = () =>
    [...typed.current].some((control) => control.isConnected && control.value !== before.current.get(control))
  return {
    form,
    /** Stores the value that a field has before a person types. */
    remember: ({ target }: FocusEvent) => store(target),
    type: ({ target }: FormEvent) => {
      isSent.current = false
      if (isText(target)) typed.current.add(target)
    },
    /** Call this when the form is sent. */
    send: () => {
      isSent.current = true
    },
    /** Call this when the form was not sent. */
    keep: () => {
      isSent.current = false
    },
    isAny,
    /** True if a person typed text that was not sent. */
    isUnsent: () => !isSent.current && isAny(),
  }
}
