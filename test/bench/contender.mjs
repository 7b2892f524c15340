// Answers, or fails, as it is told.
if (process.argv[2] === "fail") throw new Error("no");
console.log(JSON.stringify({ one: 1 }));
