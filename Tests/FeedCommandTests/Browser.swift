import Foundation
import Testing

/// Debian's Chromium without a window, driven through its DevTools protocol over a pair of pipes.
///
/// The window is so tall that the whole feed is in view. https://chromedevtools.github.io/devtools-protocol/
final class Browser {
    private let process = Process()
    private let commands: FileHandle
    private let answers: FileHandle
    private let reading = DispatchQueue(label: "browser")
    private var lastID = 0
    private var session: String?

    /// Starts the browser with its profile in `home`.
    init(home: URL) throws {
        let pipes = ["commands", "answers"].map { home.appending(path: "browser-\($0)").path }
        for pipe in pipes { try #require(unsafe mkfifo(pipe, 0o600) == 0) }
        // Opened for reading and writing, so that opening does not wait for the other end.
        commands = try #require(FileHandle(forUpdatingAtPath: pipes[0]))
        answers = try #require(FileHandle(forUpdatingAtPath: pipes[1]))
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = [
            "-c",
            #"""
            exec chromium --headless --no-sandbox --disable-gpu --window-size=1200,6000 \
                --user-data-dir="$1" --remote-debugging-pipe about:blank 3<"$2" 4>"$3"
            """#,
            "sh", home.appending(path: "chromium").path, pipes[0], pipes[1],
        ]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    /// Opens a page, waits until an expression is true in it, and returns its rendered HTML.
    ///
    /// After ten seconds the page is returned in any case, so that the test's expectations report the failure.
    func open(_ page: URL, until expression: String) async throws -> Page {
        if session == nil {
            let target = try await call("Target.createTarget", ["url": "about:blank"]).targetId
            session = try await call("Target.attachToTarget", ["targetId": target ?? "", "flatten": true]).sessionId
        }
        _ = try await call("Page.navigate", ["url": page.absoluteString])
        return try await wait(until: expression)
    }

    /// Runs a script in the page, as if the user acted.
    func act(_ script: String) async throws {
        _ = try await call("Runtime.evaluate", ["expression": script, "userGesture": true])
    }

    /// Waits until an expression is true in the page, also across navigations, and returns the rendered HTML.
    func wait(until expression: String) async throws -> Page {
        let wait = """
            new Promise((done) => {
                const end = performance.now() + 10000;
                const isReady = () => document.readyState == 'complete' && (\(expression));
                const look = () => isReady() || performance.now() > end
                    ? done(document.documentElement.outerHTML) : setTimeout(look, 20);
                look();
            })
            """
        var answer: Answer.Result?
        // A page that is left while it is asked does not answer.
        for _ in 1...5 where answer?.result?.value == nil {
            answer = try? await call("Runtime.evaluate", ["expression": wait, "awaitPromise": true])
        }
        return Page(html: try #require(answer?.result?.value, "\(String(describing: answer))"))
    }

    /// Ends the browser.
    func close() {
        process.terminate()
        process.waitUntilExit()
    }

    private func call(_ method: String, _ parameters: [String: Any]) async throws -> Answer.Result {
        lastID += 1
        var command: [String: Any] = ["id": lastID, "method": method, "params": parameters]
        command["sessionId"] = session
        // Messages end with a zero byte.
        try commands.write(contentsOf: JSONSerialization.data(withJSONObject: command) + [0])
        while true {
            let answer = try JSONDecoder().decode(Answer.self, from: await nextMessage())
            // A message without this id is an event, not the response.
            guard answer.id == lastID else { continue }
            guard let result = answer.result else {
                throw Refusal(description: "\(method): \(answer.error?.message ?? "no result")")
            }
            return result
        }
    }

    private func nextMessage() async throws -> Data {
        try await withCheckedThrowingContinuation { continuation in
            reading.async { [answers] in
                continuation.resume(
                    with: Result {
                        var message = Data()
                        while let byte = try answers.read(upToCount: 1), byte != Data([0]) { message += byte }
                        return message
                    }
                )
            }
        }
    }

    private struct Refusal: Error, CustomStringConvertible {
        let description: String
    }

    private struct Answer: Decodable {
        struct Result: Decodable {
            let targetId: String?
            let sessionId: String?
            let result: Value?
            let exceptionDetails: Details?
        }

        struct Details: Decodable {
            let exception: Description?
            let text: String
        }

        struct Description: Decodable {
            let description: String?
        }

        struct Value: Decodable {
            let value: String?
        }

        struct Failure: Decodable {
            let message: String
        }

        let id: Int?
        let result: Result?
        let error: Failure?
    }

    /// A page as the browser shows it.
    struct Page: CustomTestStringConvertible {
        let html: String

        func count(_ text: String) -> Int {
            html.components(separatedBy: text).count - 1
        }

        var cards: Int { count(#"class="card""#) }
        var shownImages: Int { count(#"data-state="loaded""#) }
        var hasLoadMore: Bool { html.contains(#"id="more""#) }
        var hasBanner: Bool { !html.contains(#"class="banner" hidden"#) }
        var testDescription: String { "page of \(html.count) characters" }
    }
}
