import { base64 } from '@scure/base'
import { describe, expect, it } from 'vitest'
import { readReplay, verifyReplay } from './replay.ts'
import { lanterns } from './sample.ts'
import { LONG, recordSample } from './sample-replays.ts'

/** Written by the first build that knew format 1: 70 steps of two carriers, a snapshot at step 0 and 64, channels. */
const GOLDEN = `
iVRSUA0KGgoBAAEBAAAAAAAAhgIAAIUBAADSWaHfhVLBitwwDP0XHZewjXcax8m19FAotPQ6lKLYyozZxA6ysy07zL9Xmlno3np7Vp7ek55ygTnzihVG
0wClFxhhwVSJU4EGXohLzEmKRl7FU0KOGcYLxPCO+aFSqUL4T38lXH/Qb2TtLfsK1wbyVoVQVBJPlKqgpwY8LYugQ9s2gP6NASEWz1RJpE57qd8SfRHp
TknnzPFVjfp/j88paFflPXlUDfXzOVXOC4zHtjE/Rf3N9HhHv1oRvyMD8lkQMdbMIvQnl3PkbJ7cw4OmQaR7+M6SnfrBdd3HyVmHgw2u9wNZayY7O2Fu
eYk+krpcIOFK0saYQpYEdITbgprAc0wq+W7PEl9vfQfhhbgKNLLEhv5ZhhRq+2gedWSmsi9yxAuUSpvQNAe5whoTVp1zxqWQlO5haEWgFMRn11uNx74Z
xOT+FhvbwEqVo7/dZsFVVbV6g9+JPyFzJAnGyeG3WHKgr5RO9azmMmSIJ/0rRqCu92boJwqEk0MJZrLdYR4c9cG38wzX618CAkYAAAAAAIwAAAAdAAAA
+p/4BwNMlKehIvpQz6QLIRg6oy96SQLha5V/dC9AcBUXAwBGAAAAAACsAAAArAAAAE54yVsL5As3A8NAjwzPlRyv6nkOoKZsTcXZPQ1NswYILRGGgojn
XTCoIvsBwDcXWjNUmfB+4rtWmVPVuHqpsL9u0+IYYhefusmnKUDAzBE3MgUZA9Q0gEmypFTkxF7HU9+X0cbDdltJaTWvpMXTD6swriuHdPy8FL/bZxxH
gp3mPEBTPuB2usqCzNjj1zJ7Ga7iZM9DDzHvywhdhJqoaKf7FgP+qtF4g09RhEx2vwu4BAFGAAAAAABIAwAAFQMAAL1aLDwdkG1M1XUUx0Nvsl1BxRtQ
ivNeLJ7u0+//ezznd1aLZemGGhRDe1HMRbMQZqYudwt6QZvY2kQRsSthrYcZuAvedOFA80WtB8uMrcSHCEZNnc6pU9QNpz99e77ne873810iH6tdy+pf
GDsw89NQOlVZXJe5ZtuPJrnv8xN9Zat/r/56457oppXzNh0Zm/i26eWBc80XinL+mpi594dQoCK79//NWdl5fTPefiJ92P/+ZLIt2T97bcP2bb3Lv3jy
7OlgOjVeULdh18+1Wy+Mzfrgn7bUwdG/D59s3dpfM9KlLr3259DOeYnUZP73I6+uSDeGbiPLOF46NfRxxfRbtef2N3efX7Yldcxce0ctzgg2DxY99/r6
Jn/VbN+bh2Y1fHNj4tYnuU1Lnz7TMtn+23sf5if/KKgpnHu9/svywmOJncvGY5GTHVN3O25WdyZyfafrXszYV76w8m5ree6CXXbF+WlbslbFYi2NzzdO
VnSbZzKCm3vnHr0SsPM3/pdQV1eNDbPhlet+qZlavS7y2e49F/eG7xy53H77yrCfL99RnXN1cOHZwTVdPd+N/HrU7ztU91W6IXtDG1Zl1v/ri5w60e5r
7Azk3+sMvJSac2Z7C777bOaOpX0Dx+9NG9gdGl881HmqdMEbj/MZ6/sr7Uc5rUt+SvSMvpXOy/G3Jl+perQncGCUL3pqf0fZfJvVNdX9yNDB6R4yz0PJ
QGkjDZ8DkrQB0uB5WnuAhAickGmCYkCNSMQsIBAoq0ECWCjFOGiDoCKkuXEqodUYJR1GzYjIGmG0jhujrSeLkJQFjdxq0iIM2sYJNZHhFAVbjBjWwD0h
LAadVZRYd48JAg+k0HaRAWMlIVnJCETUA+AW0VgkF1qQwBKnGQIUUa61JeWWhQqbYJEzMNIS3KyMHI27DgBoZYwQjAjFMUYyBtr1AJqscqSWlVgHGQFX
BXraFIBF5f4bJ6GQpKIPMTg6CnxAqksAlVZoFQcZVXEFlisGHEh5UguieMTkeZa7zMAZxlG6iJwxh2xISHRFOC+Iwgf1AUSYJFuG+j4FAUYAAAAAADAC
AAAvAgAAGJZDkg3IXUhTYRgH8BOYeiEoy9bCZVppY0FUTEw752F00UXJmJBmEUxLYYSVpcQSgzU0zUKnaWmaTjPzKz0aDLK9fxW9WFkyZYqNZVJW60Ob
sZnYsLz9eROLWUZFvWD+d5Qk882ktw0JnpAEmH9YmDrZjFlFAXzyzag4tUzFpQ2QV75C5EAvHMclQszfFhYU6SbrOScZu51HCp+YsX7iBfbs3U09TEpc
ziSvyq/FLeMKpRQ0Q1xeELhd9YO29CAYVH8EX7+Eovd7qYcfp8j8JXgujDKX8j1SFFlkCVciel8dGUYasBrcgYwyPfSV8VTGEnEszQ/rwoa3BZjbasS8
SQnTg8fk3X6SldmyyRzrY2d0DjizbHSthlHEaakwm3oPgc408nbMwWhdRGbnOnm02WQs1cD9SCA02pAStkiBKA+NxVQhqMRPDz/cp8N2kck7n4HL/Jp0
SdlNhS03wUUz3v75Jelxncobv8Ep66M1cQY+TyJscUW4q9lJuWE7SBr+Dm2bEsiQNMfWbrRA7B8SqvV9qIubhuOijHzUDnVwK+NWVYO5/mqYVE2gn1WU
/v0TLIomlrcFOGu4QrlXdTQ10A7OU8PUsljeqH3KNAdfE180jZrxEqTfmaClyS7Iq6YQCGknMU9GLssIDdd28WMTv8ng3Ebqjtu8WpuK+PqPsCdHIXPr
jBCxohMOvNExBc+RSfucijW1VP5FhPNXL8TzDoQeahVCL8diOEcCV8NbGhuV4j8GAQAARgAAACUNAAATAgAAQNkwJO1VbW/aMBD+L/7YRYIwEhykfgCV
bVVfBO2gGxWaTHIk7hKb2Q4vQ/z3nZN2WyQ0dVX3qvgUKT7b57Pvefzc7og2sCTdpkO0YEudSEO6O7KQKmP45zoExIp0ScqEASU0ccgKlOZSoNPFXgwC
FDNSYX8jdcKVdFv06AiHNECE3tDzwZ93Aup57Tn1KQv8iHbCAHzfnfsLijNhybWMoEzjIR/cL+OCGRtkwVIN6FK5CCseBSa3aXVJ72A7PsbwTCm2xTk7
Ys9Eori36I2KkZRbx+GldftTDQsj8/vC2CqtmcpMUi2U9ce5trMaDWp7IUvTb0AoyquYiGSGPro6Gd/JT3fxyYSeTRIPxv1TNvVe6HAwHwbufOhfvxbn
jcvxu20jHl3dTC+u1vHEDW8m7y+u3wZTst87ZKFYhhj9jjIgDDcccFckErdgZ8gH86GJe3/kokA/go+DQscG6eRSh2zvYY44tsGKkxZoxj0qUSy9DkVp
0c4Po8wQ12yLLC3SEkXS6MmWlr1rHtmrfNnE1QnwOClZHkJxebdNp7bant1mFpSwQlRbkOF/KHMrKMWjXEKz29wXBCjJ5bf/MkGyCT1Rkd4Mvr5a8eiw
IvV6/N9QpNGgX37/s/48nBG/36tIjLbDrBOeXn42/VdRa+OO+fnw7NGKZDH685LkP4ckBbi+lqQnm1uxWjB+zb1WbvYxkuR6qEmzL/8AAABGAAAAIAAA
ACAAAADTNPjc2KSRAkGejRtIhswveixiPtNJOjAnrdlyTXF3jlnTff8=
`

describe('replays of format 1', () => {
  it('written long ago are read and verified', () => {
    const replay = readReplay(base64.decode(GOLDEN.replaceAll(/\s/g, '')))
    expect(verifyReplay(replay, lanterns)).toEqual({ ok: true, steps: 70, complete: true })
    expect(replay.keyframes.map((keyframe) => keyframe.step)).toEqual([0, 64])
    expect([replay.probability!.length, replay.value!.length]).toEqual([420, 140])
    expect(replay.header.scenario).toEqual({ id: 'lanterns/test', env: 'lanterns', version: '1', teamReward: 'sum' })
  })

  it('have these digests for ever', () => {
    const replay = recordSample(LONG).replay('sum')
    expect(replay.header.result!.digest).toMatchInlineSnapshot(`"35c884ce62ec8f36293097264da462fc"`)
    expect(replay.chain.at(-1)).toMatchInlineSnapshot(
      `"9864d91027e5c52a0e284c024698a5a9f7ab6c9058979d4173a1295a98804c8d"`,
    )
  })
})
