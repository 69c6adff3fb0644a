/** The frame of a page without a replay: the bar with the ways to the other pages, and its title. */
import { type ComponentChildren, type JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { strings } from '../strings.ts'
import { Brand, ThemeButton } from './bar.tsx'
import { FilePicker } from './file-picker.tsx'

export function PageFrame(props: { title: string; id?: string; children: ComponentChildren }): JSX.Element {
  const { title, id, children } = props
  useEffect(() => {
    document.title = `${title} · ${strings.name}`
  }, [title])
  return (
    <div class="page">
      <header class="bar">
        <Brand />
        <SiteLinks />
        <div class="bar-actions">
          <FilePicker />
          <ThemeButton />
        </div>
      </header>
      <main class="home">
        <h1 id={id}>{title}</h1>
        {children}
      </main>
    </div>
  )
}

/** Every list there is, and the help. */
export function SiteLinks(): JSX.Element {
  return (
    <nav class="site-links" aria-label={strings.site.label}>
      {strings.site.links.map(([path, name]) => (
        <a key={path} href={path} aria-current={location.pathname === path ? 'page' : undefined}>
          {name}
        </a>
      ))}
    </nav>
  )
}
