import { createContext, useEffect } from 'react'

interface Place {
  pathname: string
  search: object
}

/** A navigation of the router. */
export interface Move {
  current: Place
  next: Place
}

/** Something that a person typed and did not send. */
export interface Unsent {
  /** What is not saved, as the subject of a sentence. */
  what: string
  /** The button that gives it up. */
  verb: string
  isUnsent: () => boolean
  /** Whether it is lost when another address opens. */
  isLost: (move: Move) => boolean
}

/** What the person types into a form. */
export const typedForm = { what: 'What you typed is', verb: 'Discard the text' }

const registered = new Set<Unsent>()

/** Asks the person before a navigation or a reload throws this away. */
export function useUnsent(unsent: Unsent): void {
  useEffect(() => {
    registered.add(unsent)
    return () => void registered.delete(unsent)
  })
}

/** What this navigation would throw away. Without a navigation: what a reload would. */
export const unsentOf = (move?: Move): Unsent[] =>
  [...registered].filter(({ isUnsent, isLost }) => isUnsent() && (move === undefined || isLost(move)))

const parameterOf = ({ search }: Place, name: string) => (search as Record<string, unknown>)[name]

/** Whether a navigation opens another page, or changes one of these parameters of the address. */
export const leavesPage =
  (...names: readonly string[]) =>
  ({ current, next }: Move) =>
    current.pathname !== next.pathname || names.some((name) => parameterOf(current, name) !== parameterOf(next, name))

/** Whether a navigation closes an open dialog. A dialog of a page is in the address, or belongs to a tab of the page. */
export const DialogLoss = createContext<Unsent['isLost']>(leavesPage('dialog', 'tab'))
