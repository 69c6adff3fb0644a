/** What can be done where, and every key. */
import { type JSX } from 'preact'
import { HelpKeys } from '../panels/help.tsx'
import { PageFrame } from '../panels/page-frame.tsx'
import { strings } from '../strings.ts'

const words = strings.helpPage

export function HelpPage(): JSX.Element {
  return (
    <PageFrame title={words.title}>
      <p>{words.what}</p>
      <div class="help-topics">
        {words.topics.map(({ title, lines }) => (
          <section key={title}>
            <h2>{title}</h2>
            <ul>
              {lines.map((line) => (
                <li key={line}>{line}</li>
              ))}
            </ul>
          </section>
        ))}
      </div>
      <section class="help help-keys" aria-labelledby="keys">
        <h2 id="keys">{strings.help.title}</h2>
        <HelpKeys />
      </section>
    </PageFrame>
  )
}
