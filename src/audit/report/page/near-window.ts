/** What is made when it comes near the window, and the rest when there is nothing else to do: a browser finds only what is there. */

const marginPixels = 600;
/** Where the browser does not say when it is idle. */
const idleWaitMs = 200;
const idleItemsMax = 20;

export function nearWindow<Item>(make: (item: Item) => void): (shown: Element, item: Item) => void {
  const waiting = new Map<Element, Item>();
  const take = (shown: Element): void => {
    const item = waiting.get(shown);
    waiting.delete(shown);
    observer.unobserve(shown);
    if (item !== undefined) make(item);
  };
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) if (isIntersecting) take(target);
    },
    { rootMargin: `${marginPixels}px 0px` },
  );
  let isAsked = false;
  const makeOthers = (): void => {
    if (isAsked || waiting.size === 0) return;
    isAsked = true;
    const some = (isIdle: () => boolean): void => {
      isAsked = false;
      let made = 0;
      for (const shown of waiting.keys()) {
        if (made >= idleItemsMax || (made > 0 && !isIdle())) break;
        take(shown);
        made += 1;
      }
      makeOthers();
    };
    if (typeof requestIdleCallback === "undefined") setTimeout(() => some(() => true), idleWaitMs);
    else requestIdleCallback((deadline) => some(() => deadline.timeRemaining() > 2));
  };
  return (shown, item) => {
    waiting.set(shown, item);
    observer.observe(shown);
    makeOthers();
  };
}
