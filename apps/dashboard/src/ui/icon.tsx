const shapes = {
  play: (
    <path
      d="M4.5 2.6v10.8c0 .5.5.8 1 .5l8.4-5.4a.6.6 0 0 0 0-1L5.5 2.1c-.5-.3-1 0-1 .5Z"
      fill="currentColor"
    />
  ),
  stop: <rect x="3" y="3" width="10" height="10" rx="1.5" fill="currentColor" />,
  pause: <path d="M5.5 3.5v9M10.5 3.5v9" />,
  close: <path d="m4 4 8 8M12 4l-8 8" />,
  search: <path d="M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9Zm3.3-1.2 3.2 3.2" />,
  plus: <path d="M8 3.5v9M3.5 8h9" />,
  copy: <path d="M5.5 5.5v-3h8v8h-3m-8-5h8v8h-8z" />,
  check: <path d="m3 8.5 3.3 3.3L13 5" />,
  download: <path d="M8 2.5v8m-3.2-3L8 10.7l3.2-3.2M3 13.5h10" />,
  trash: <path d="M2.5 4.5h11m-7-2h3m-5.5 2 .6 9h6.8l.6-9M6.7 7v4m2.6-4v4" />,
  warning: <path d="M8 2.3 14.3 13.2H1.7L8 2.3Zm0 4.2v3.2m0 1.7v.1" />,
  down: <path d="M8 3v9.5M4 8.7l4 4 4-4" />,
  up: <path d="M8 13V3.5M4 7.3 8 3.3l4 4" />,
  right: <path d="M2.5 8h10.5m-3.5-3.5L13 8l-3.5 3.5" />,
  lock: <path d="M4 7.2h8v6H4zm1.7 0V5a2.3 2.3 0 0 1 4.6 0v2.2" />,
  clear: <path d="M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM3.8 3.8l8.4 8.4" />,
  open: (
    <path d="M2.5 8s2-4 5.5-4 5.5 4 5.5 4-2 4-5.5 4-5.5-4-5.5-4Zm5.5 1.6a1.6 1.6 0 1 0 0-3.2 1.6 1.6 0 0 0 0 3.2Z" />
  ),
  link: (
    <path d="M6.7 9.3 9.3 6.7M7.3 4.7 8.8 3.2a2.8 2.8 0 0 1 4 4l-1.5 1.5M8.7 11.3l-1.5 1.5a2.8 2.8 0 0 1-4-4l1.5-1.5" />
  ),
  edit: <path d="M10.8 2.7 13.3 5.2 5.5 13H3v-2.5l7.8-7.8Z" />,
  bars: <path d="M2.5 13.5h11M4 11V7.5M8 11V3M12 11V5.5" />,
  map: (
    <path d="M4 6a1.8 1.8 0 1 0 0-3.6A1.8 1.8 0 0 0 4 6Zm8 7.6a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6Zm0-8a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6ZM5.8 4.1h4.4M5.2 5.5l5.4 5" />
  ),
  flows: <path d="M2.5 5h11m-3-2.8L13.3 5l-2.8 2.8M13.5 11h-11m3-2.8L2.7 11l2.8 2.8" />,
  bell: <path d="M3.5 11.5h9c-1-1-1.2-2-1.2-4.2a3.3 3.3 0 0 0-6.6 0c0 2.2-.2 3.2-1.2 4.2ZM6.8 13.6h2.4" />,
  nodes: <path d="M2.5 3h11v4h-11zm0 6h11v4h-11zM5 5h.1M5 11h.1" />,
  clock: <path d="M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 4.8V8l2.2 1.6" />,
  expand: <path d="m4 6 4 4 4-4" />,
  zoomOut: <path d="M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9Zm3.3-1.2 3.2 3.2M5 7h4" />,
  keep: <path d="M4 2.5h8v11L8 10.8 4 13.5v-11Z" />,
  book: <path d="M3 3.2h4c.6 0 1 .4 1 1v9c0-.6-.4-1-1-1H3v-9Zm10 0H9c-.6 0-1 .4-1 1v9c0-.6.4-1 1-1h4v-9Z" />,
  wave: <path d="M1.5 8.5h2.5L5.7 4l2.6 8.5 2-6 1.2 2h3" />,
  layers: <path d="m8 2.5 6 3-6 3-6-3 6-3Zm-6 5.7 6 3 6-3m-12 2.6 6 3 6-3" />,
} as const

export type IconName = keyof typeof shapes

/** Always beside a text or inside a labelled control: it says nothing on its own. */
export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      className="icon"
      viewBox="0 0 16 16"
      width={size}
      height={size}
      fill="none"
      stroke={name === 'play' || name === 'stop' ? 'none' : 'currentColor'}
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {shapes[name]}
    </svg>
  )
}
