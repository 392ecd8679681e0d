// Drives a headless Chromium by its DevTools protocol over a pipe, without packages.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const findChromium = () => ['chromium', 'chromium-browser', 'google-chrome'].find((name) =>
  spawnSync('which', [name]).status === 0);

export class Browser {
  constructor(program) {
    this.profile = mkdtempSync(join(tmpdir(), 'scalelaw-browser-'));
    this.process = spawn(program, ['--headless=new', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-extensions',
      '--disable-background-networking', '--remote-debugging-pipe', '--user-data-dir=' + this.profile, 'about:blank'],
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
    this.waiting = new Map();
    this.listeners = [];
    this.last = 0;
    let text = '';
    this.process.stdio[4].on('data', (bytes) => {
      text += bytes;
      for (let end = text.indexOf('\0'); end >= 0; end = text.indexOf('\0')) {
        this.take(JSON.parse(text.slice(0, end)));
        text = text.slice(end + 1);
      }
    });
  }

  take(message) {
    if (message.id !== undefined) {
      const { resolve, reject } = this.waiting.get(message.id);
      this.waiting.delete(message.id);
      if (message.error) reject(new Error(JSON.stringify(message.error))); else resolve(message.result);
    } else {
      for (const listener of this.listeners) listener(message);
    }
  }

  send(method, params = {}, sessionId = undefined) {
    const id = ++this.last;
    this.process.stdio[3].write(JSON.stringify({ id, method, params, sessionId }) + '\0');
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
  }

  // A new page, with the events that it reports.
  async open(url, { width = 1400, height = 900, dark = false } = {}) {
    const { targetId } = await this.send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true });
    const page = new Page(this, sessionId);
    for (const domain of ['Page', 'Runtime', 'Network', 'Log']) await page.send(domain + '.enable');
    await page.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: width < 500 });
    await page.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }] });
    const loaded = page.until('Page.loadEventFired');
    await page.send('Page.navigate', { url });
    await loaded;
    // Data that are compressed are read a moment after the page is there.
    for (let i = 0; i < 500 && !await page.value(`!document.getElementById('main') || 'ready' in document.documentElement.dataset`); ++i) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return page;
  }

  async close() {
    await this.send('Browser.close').catch(() => {});
    await new Promise((resolve) => { if (this.process.exitCode !== null) resolve(); else this.process.on('exit', resolve); });
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

class Page {
  constructor(browser, sessionId) {
    this.browser = browser;
    this.sessionId = sessionId;
    this.complaints = [];
    this.requests = [];
    browser.listeners.push((message) => {
      if (message.sessionId !== sessionId) return;
      if (message.method === 'Runtime.exceptionThrown') this.complaints.push(message.params.exceptionDetails.text + ' ' +
        (message.params.exceptionDetails.exception?.description ?? ''));
      if (message.method === 'Runtime.consoleAPICalled' && ['error', 'warning'].includes(message.params.type)) {
        this.complaints.push(message.params.args.map((one) => one.value).join(' '));
      }
      if (message.method === 'Log.entryAdded' && ['error', 'warning'].includes(message.params.entry.level)) {
        this.complaints.push(message.params.entry.text);
      }
      if (message.method === 'Network.requestWillBeSent') this.requests.push(message.params.request.url);
    });
  }

  send(method, params) { return this.browser.send(method, params, this.sessionId); }

  until(method) {
    return new Promise((resolve) => this.browser.listeners.push((message) => {
      if (message.sessionId === this.sessionId && message.method === method) resolve(message.params);
    }));
  }

  // The value of an expression in the page.
  async value(expression) {
    const { result, exceptionDetails } = await this.send('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  async picture(clip) {
    const { data } = await this.send('Page.captureScreenshot', { format: 'png', captureBeyondViewport: true, ...(clip ? { clip: { scale: 1, ...clip } } : {}) });
    return Buffer.from(data, 'base64');
  }
}
