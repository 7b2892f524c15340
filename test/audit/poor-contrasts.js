// Evaluated in the page: texts below the contrast that WCAG 2.2 (1.4.3) asks for, 4.5 to 1.
(() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgb = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const luminance = (color) => {
    const [red, green, blue] = color.map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const ground = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const color = rgb(getComputedStyle(at).backgroundColor);
      if (color[3] === 255) return color;
    }
    return [255, 255, 255, 255];
  };
  const hasOwnText = (element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  return [...document.querySelectorAll("body *:not(script, noscript)")]
    .filter((element) => hasOwnText(element) && !element.closest(".unseen, .skip, dialog:not([open])"))
    .filter((element) => {
      const [dark, light] = [rgb(getComputedStyle(element).color), ground(element)]
        .map(luminance)
        .sort((a, b) => a - b);
      return (light + 0.05) / (dark + 0.05) < 4.5;
    })
    .map((element) => `${element.className}: ${element.textContent.slice(0, 40)}`);
})();
