import { type ReactNode, useId } from 'react'
import { Button as AriaButton, type PressEvent, Tooltip, TooltipTrigger } from 'react-aria-components'
import { Glyph, type GlyphName } from '../texts/glyph.tsx'
import css from './button.module.css'
import { useRefusal } from './refusals.tsx'

export type ButtonLook = 'act' | 'plain' | 'danger' | 'stop' | 'judge' | 'tall' | 'icon'

export interface ButtonProps {
  children: ReactNode
  onPress?: (event: PressEvent) => void
  type?: 'button' | 'submit'
  /** How it looks. Several are separated by spaces. */
  look?: ButtonLook | `${ButtonLook} ${ButtonLook}`
  glyph?: GlyphName
  /** The accessible name, if the text is not enough. */
  name?: string
  /** Why the action is not possible. The button then stays in the tab order and says why. */
  disabledBecause?: string | undefined
  /** True while the action runs. The button keeps its place and does nothing. */
  isBusy?: boolean
  /** `hidden` shows the reason behind focus and hover only, for rows of tables. Screen readers always read it. */
  reason?: 'beside' | 'hidden'
  autoFocus?: boolean
  /** Whether what the button opens is open. */
  isExpanded?: boolean
}

/** The pointer rests this long before the reason shows. Focus by keyboard shows it at once. */
const tooltipMs = 300

export const tooltipClass = css.tooltip ?? ''
export const buttonClass = (look = '') => [css.button, ...look.split(' ').map((name) => css[name])].join(' ')

/** A button. A disabled one says why, in the words of the server. */
export function Button(props: ButtonProps) {
  const { children, onPress, type = 'button', look, glyph, name, disabledBecause, isBusy = false, autoFocus } = props
  const ownId = useId()
  const words = [children].flat().filter((part) => typeof part === 'string' || typeof part === 'number')
  const text = words.join('') || (name ?? '')
  const groupId = useRefusal(text, props.reason === 'hidden' ? undefined : disabledBecause)
  const reasonId = groupId ?? ownId
  const isOff = disabledBecause !== undefined
  const button = (
    <AriaButton
      type={isOff || isBusy ? 'button' : type}
      className={buttonClass(look)}
      onPress={isOff || isBusy ? () => {} : (onPress ?? (() => {}))}
      aria-label={name}
      aria-describedby={isOff ? reasonId : undefined}
      aria-expanded={props.isExpanded}
      autoFocus={autoFocus}
      render={(attributes) => <button {...attributes} {...(isOff && { 'aria-disabled': true })} aria-busy={isBusy} />}
    >
      {glyph && <Glyph name={glyph} />}
      {children}
    </AriaButton>
  )
  if (!isOff || groupId !== undefined) return button
  const why = (isHidden: boolean) => (
    <span id={reasonId} className={isHidden ? 'hidden-text' : css.why}>
      {disabledBecause}
    </span>
  )
  if (props.reason !== 'hidden')
    return (
      <span className={css['with-why']}>
        {button}
        {why(false)}
      </span>
    )
  return (
    <span className={css['with-why']}>
      <TooltipTrigger delay={tooltipMs}>
        {button}
        <Tooltip className={tooltipClass} placement="bottom" offset={4}>
          {disabledBecause}
        </Tooltip>
      </TooltipTrigger>
      {why(true)}
    </span>
  )
}
