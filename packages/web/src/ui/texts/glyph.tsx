import type { ReactNode } from 'react'
import css from './glyph.module.css'

/** The shapes of states and actions, drawn in a square of 12. Each shape has its own word beside it or in its button's name. */
const shapes = {
  allow: (
    <>
      <circle cx="6" cy="6" r="5" />
    </>
  ),
  approved: (
    <>
      <path d="M4.6 10.2.9 6.5l1.3-1.3 2.4 2.4 5.2-5.3 1.3 1.3z" />
    </>
  ),
  blocked: (
    <>
      <g fill="none" stroke="currentColor" strokeWidth="1.6">
        <circle cx="6" cy="6" r="4.6" />
        <path d="m2.8 2.8 6.4 6.4" />
      </g>
    </>
  ),
  chev: (
    <>
      <path d="m4.2 1.6 1-1L10 6l-4.8 5.4-1-1L8.1 6z" />
    </>
  ),
  clock: (
    <>
      <path
        fillRule="evenodd"
        d="M6 .6a5.4 5.4 0 1 1 0 10.8A5.4 5.4 0 0 1 6 .6zM6 1.9a4.1 4.1 0 1 0 0 8.2 4.1 4.1 0 0 0 0-8.2zM5.4 3.2h1.2v2.5l1.8 1.1-.6 1-2.4-1.4z"
      />
    </>
  ),
  close: (
    <>
      <path d="m2.1 1.1 3.9 3.9 3.9-3.9 1 1L7 6l3.9 3.9-1 1L6 7l-3.9 3.9-1-1L5 6 1.1 2.1z" />
    </>
  ),
  copy: (
    <>
      <path fillRule="evenodd" d="M4 .8h7.2V8H8.8v3.2H.8V4H4zM5.3 4h3.5v2.7h1.1V2.1H5.3zM2.1 5.3v4.6h5.4V5.3z" />
    </>
  ),
  'cov-claimed': (
    <>
      <path d="M5.4 1v10A5 5 0 0 1 5.4 1z" />
      <path d="M7.2 2.3v7.4a4 4 0 0 0 0-7.4z" fill="none" stroke="currentColor" strokeWidth="1.1" />
    </>
  ),
  'cov-covered': (
    <>
      <path d="M5.4 1v10A5 5 0 0 1 5.4 1zM6.6 1v10a5 5 0 0 0 0-10z" />
    </>
  ),
  'cov-observed': (
    <>
      <path d="M6.6 1v10a5 5 0 0 0 0-10z" />
      <path d="M4.8 2.3v7.4a4 4 0 0 1 0-7.4z" fill="none" stroke="currentColor" strokeWidth="1.1" />
    </>
  ),
  'cov-partial': (
    <>
      <path d="M5.4 1v10A5 5 0 0 1 5.4 1zM6.6 6.6v4.4A5 5 0 0 0 11 6.6z" />
    </>
  ),
  'cov-stale': (
    <>
      <path fillOpacity=".45" d="M5.4 1v10A5 5 0 0 1 5.4 1zM6.6 1v10a5 5 0 0 0 0-10z" />
    </>
  ),
  'cov-unknown': (
    <>
      <path
        d="M4.8 2.3v7.4a4 4 0 0 1 0-7.4zM7.2 2.3v7.4a4 4 0 0 0 0-7.4z"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.1"
      />
    </>
  ),
  deny: (
    <>
      <path fillRule="evenodd" d="M1 1h10v10H1zM3 5v2h6V5z" />
    </>
  ),
  depends: (
    <>
      <path fillRule="evenodd" d="M6 1a5 5 0 1 0 0 10A5 5 0 0 0 6 1zm0 1.5v7a3.5 3.5 0 0 0 0-7z" />
    </>
  ),
  differs: (
    <>
      <path d="M1 3h5.6l1.2-2.4 1.5.8L8.5 3H11v2H7.6l-1 2H11v2H5.6l-1.2 2.4-1.5-.8L3.7 9H1V7h3.6l1-2H1z" />
    </>
  ),
  dot: (
    <>
      <circle cx="6" cy="6" r="3" />
    </>
  ),
  down: (
    <>
      <path d="M1.6 4.2.8 5.1 6 10l5.2-4.9-.8-.9L6 8z" />
    </>
  ),
  edit: (
    <>
      <path d="M8.6.9 11 3.3 4 10.4l-3.1.7.7-3.1z" />
    </>
  ),
  frozen: (
    <>
      <path d="M5.2 0h1.6v4.6l4-2.3.8 1.4L7.6 6l4 2.3-.8 1.4-4-2.3V12H5.2V7.4l-4 2.3-.8-1.4 4-2.3-4-2.3.8-1.4 4 2.3z" />
    </>
  ),
  grip: (
    <>
      <path d="M3 2h2v2H3zM7 2h2v2H7zM3 5h2v2H3zM7 5h2v2H7zM3 8h2v2H3zM7 8h2v2H7z" />
    </>
  ),
  hold: (
    <>
      <path d="M2 1h3v10H2zM7 1h3v10H7z" />
    </>
  ),
  info: (
    <>
      <path
        fillRule="evenodd"
        d="M6 .6a5.4 5.4 0 1 1 0 10.8A5.4 5.4 0 0 1 6 .6zM6 1.9a4.1 4.1 0 1 0 0 8.2 4.1 4.1 0 0 0 0-8.2zM5.3 5.3h1.4V9H5.3zm0-2.2h1.4v1.4H5.3z"
      />
    </>
  ),
  key: (
    <>
      <path
        fillRule="evenodd"
        d="M3.6 2.4a3.6 3.6 0 0 1 3.5 2.8H12v1.6h-1.2V9H9.2V6.8H7.1a3.6 3.6 0 1 1-3.5-4.4zm0 1.6a2 2 0 1 0 0 4 2 2 0 0 0 0-4z"
      />
    </>
  ),
  live: (
    <>
      <circle cx="6" cy="6" r="2.2" />
      <circle cx="6" cy="6" r="4.8" fill="none" stroke="currentColor" strokeWidth="1.1" />
    </>
  ),
  lost: (
    <>
      <path d="M1 5.2h2v1.6H1zM5 5.2h2v1.6H5zM9 5.2h2v1.6H9z" />
    </>
  ),
  mark: (
    <>
      <path fillRule="evenodd" d="M0 0h12v12H0zM2.500 3.400v1.700h7V3.400zm0 3.500v1.700h7V6.900z" />
    </>
  ),
  menu: (
    <>
      <path d="M0 2h12v1.5H0zM0 5.3h12v1.5H0zM0 8.6h12v1.5H0z" />
    </>
  ),
  person: (
    <>
      <path d="M6 1a2.6 2.6 0 1 1 0 5.2A2.6 2.6 0 0 1 6 1zM1 11.2c.3-2.6 2.4-4 5-4s4.700 1.400 5 4z" />
    </>
  ),
  proposed: (
    <>
      <circle cx="6" cy="6" r="4.6" fill="none" stroke="currentColor" strokeWidth="1.5" strokeDasharray="2.6 2" />
    </>
  ),
  retired: (
    <>
      <path d="M1 5h10v2H1z" />
    </>
  ),
  right: (
    <>
      <path d="M6.8 2 11 6l-4.2 4-1-1L8 6.8H1V5.2h7L5.8 3z" />
    </>
  ),
  same: (
    <>
      <path d="M1 3h10v2H1zM1 7h10v2H1z" />
    </>
  ),
  seal: (
    <>
      <path
        fillRule="evenodd"
        d="M6 0 7.5 1.2l1.9-.2.5 1.9 1.6 1L11 5.7l.5 1.9-1.6 1-.5 1.9-1.9-.2L6 11.5l-1.5-1.2-1.9.2-.5-1.9-1.6-1L1 5.8.5 3.9l1.6-1L2.6 1l1.9.2zM5.3 7.9l3.2-3.2-.9-.9-2.3 2.3-1-1-.9.9z"
      />
    </>
  ),
  search: (
    <>
      <path
        fillRule="evenodd"
        d="M5 .6a4.4 4.4 0 0 1 3.5 7l2.9 2.9-1 1-2.9-2.9A4.4 4.4 0 1 1 5 .6zM5 2a3 3 0 1 0 0 6 3 3 0 0 0 0-6z"
      />
    </>
  ),
  sev1: (
    <>
      <path d="M0 8h2.4v4H0z" />
      <path fillOpacity=".28" d="M3.2 5.5h2.4V12H3.2zM6.4 3h2.4v9H6.4zM9.6 0H12v12H9.6z" />
    </>
  ),
  sev2: (
    <>
      <path d="M0 8h2.4v4H0zM3.2 5.5h2.4V12H3.2z" />
      <path fillOpacity=".28" d="M6.4 3h2.4v9H6.4zM9.6 0H12v12H9.6z" />
    </>
  ),
  sev3: (
    <>
      <path d="M0 8h2.4v4H0zM3.2 5.5h2.4V12H3.2zM6.4 3h2.4v9H6.4z" />
      <path fillOpacity=".28" d="M9.6 0H12v12H9.6z" />
    </>
  ),
  sev4: (
    <>
      <path d="M0 8h2.4v4H0zM3.2 5.5h2.4V12H3.2zM6.4 3h2.4v9H6.4zM9.6 0H12v12H9.6z" />
    </>
  ),
  suspended: (
    <>
      <path fillRule="evenodd" d="M1 1h10v10H1zm1.6 1.6v6.8h6.8V2.6z" />
    </>
  ),
  unknown: (
    <>
      <path d="M1 3h2v2H1zM5 3h2v2H5zM9 3h2v2H9zM1 7h2v2H1zM5 7h2v2H5zM9 7h2v2H9z" />
    </>
  ),
  up: (
    <>
      <path d="M6 2l5.200 4.900-.8.900L6 3.900 1.600 7.800l-.8-.9z" />
    </>
  ),
  warn: (
    <>
      <path fillRule="evenodd" d="M6 .6 11.8 11H.2zM5.3 4.4v3.2h1.4V4.4zm0 4.1v1.3h1.4V8.5z" />
    </>
  ),
} satisfies Record<string, ReactNode>

export type GlyphName = keyof typeof shapes

/** A shape of 12 px in the colour of the text. Screen readers skip it. */
export function Glyph({ name }: { name: GlyphName }) {
  return (
    <svg className={css.glyph} viewBox="0 0 12 12" fill="currentColor" aria-hidden="true">
      {shapes[name]}
    </svg>
  )
}
