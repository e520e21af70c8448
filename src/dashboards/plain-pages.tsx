// The pages without charts: the overview, the login, and one sentence when something is not as it should be.
import type { Board } from './boards.ts';
import { type Frame, Layout, writePage } from './layout.tsx';

export function overviewPage(frame: Frame, boards: readonly Board[]): string {
  return writePage(
    <Layout frame={frame} title="Boards" kind="overview">
      <h1>Boards</h1>
      <p class="lead">What is in the warehouse, week by week. Each figure has its table, its SQL and a CSV.</p>
      <ul class="cards">
        {boards.map((board) => (
          <li key={board.name} class="card">
            <h2>
              <a href={`/boards/${board.name}`}>{board.title}</a>
            </h2>
            <p>{board.question}</p>
            <ul class="contents">
              {board.panels.map((panel) => (
                <li key={panel.name}>
                  <a href={`/boards/${board.name}#${panel.name}`}>{panel.title}</a>
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </Layout>,
  );
}

type Message = Readonly<{
  title: string;
  text: string;
  detail?: string;
  /** The address that was asked for, where the browser looks again by itself. */
  retry?: string;
}>;

export function messagePage(frame: Frame, { title, text, detail, retry }: Message): string {
  return writePage(
    <Layout frame={frame} title={title} kind={retry ? 'retry' : 'message'}>
      <div class="message" role={retry ? 'status' : undefined}>
        <h1>{title}</h1>
        <p>{text}</p>
        {detail && <p class="fine">{detail}</p>}
        <p>{retry ? <a href={retry}>Try again now</a> : <a href="/">To the boards</a>}</p>
      </div>
    </Layout>,
  );
}

export function loginPage(frame: Frame, { to, problem }: Readonly<{ to: string; problem?: string }>): string {
  const problemId = 'problem';
  return writePage(
    <Layout frame={{ ...frame, boards: [], links: [] }} title="Log in" kind="login">
      <form class="login" method="post" action="/login">
        <h1>Log in</h1>
        <input type="hidden" name="to" value={to} />
        {problem && (
          <p id={problemId} class="problem" role="alert">
            {problem}
          </p>
        )}
        <label for="password">Password</label>
        <input
          id="password"
          name="password"
          type="password"
          autocomplete="current-password"
          required
          autofocus
          aria-describedby={problem ? problemId : undefined}
        />
        <label for="name">Your name (optional)</label>
        <input id="name" name="name" maxLength={60} autocomplete="nickname" />
        <button type="submit">Log in</button>
        <p class="fine">
          Your name is recorded with your decisions. The password is the one that OPS_PASSWORD, or the file of OPS_PASSWORD_FILE, gives the
          process that serves these pages.
        </p>
      </form>
    </Layout>,
  );
}
