/** All scenarios that come with troupe. */
import { useSignal } from '@preact/signals'
import { type JSX } from 'preact'
import { PageFrame } from '../panels/page-frame.tsx'
import { rewrite, scenarioPath } from '../route.ts'
import { families, matching, SHIPPED } from '../scenarios/shipped.ts'
import { figure, strings } from '../strings.ts'

const words = strings.scenarios

export function ScenariosPage(): JSX.Element {
  const query = new URLSearchParams(location.search)
  const text = useSignal(query.get('text') ?? '')
  const env = useSignal(query.get('env') ?? '')
  const keep = () => {
    const search = new URLSearchParams()
    if (text.value !== '') search.set('text', text.value)
    if (env.value !== '') search.set('env', env.value)
    rewrite(`/scenarios${search.size === 0 ? '' : `?${search.toString()}`}`)
  }
  const shown = matching(text.value, env.value)
  return (
    <PageFrame title={words.title} id="scenarios">
      <p>{words.what}</p>
      <form class="row" role="search" aria-label={words.filters} onSubmit={(event) => event.preventDefault()}>
        <input
          type="search"
          size={28}
          aria-label={words.text}
          placeholder={words.text}
          value={text.value}
          onInput={(event) => {
            text.value = event.currentTarget.value
            keep()
          }}
        />
        <select
          aria-label={words.env}
          value={env.value}
          onChange={(event) => {
            env.value = event.currentTarget.value
            keep()
          }}
        >
          <option value="">{words.all}</option>
          {families().map(([name, count]) => (
            <option key={name} value={name}>
              {words.family(name, count)}
            </option>
          ))}
        </select>
      </form>
      <p class="muted" role="status">
        {words.found(shown.length, SHIPPED.length)}
      </p>
      <div class="table-scroll" tabIndex={0} role="region" aria-labelledby="scenarios">
        <table class="list cards-list">
          <thead>
            <tr>
              <th scope="col">{words.scenario}</th>
              <th scope="col">{words.env}</th>
              <th scope="col" class="number">
                {words.random}
              </th>
              <th scope="col" class="number">
                {words.best}
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ id, title, env: family, reference }) => (
              <tr key={id}>
                <th scope="row">
                  <a href={scenarioPath(id)}>{title}</a>
                  <span class="mono muted">{id}</span>
                </th>
                <td data-label={words.env}>{family}</td>
                <td class="number" data-label={words.random}>
                  {reference?.random === undefined ? '–' : figure(reference.random)}
                </td>
                <td class="number" data-label={words.best}>
                  {reference?.best === undefined ? '–' : figure(reference.best)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </PageFrame>
  )
}
