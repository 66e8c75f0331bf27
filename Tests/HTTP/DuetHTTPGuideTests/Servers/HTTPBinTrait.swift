import FeedTesting
import Foundation
import Testing

/// One httpbin for all tests of a suite.
struct HTTPBinTrait: SuiteTrait, TestScoping {
    /// The URL of the suite's httpbin.
    @TaskLocal static var url: URL?

    /// A process that a libdispatch thread starts begins with all signals blocked, and Python keeps them blocked.
    private static let start = """
        import signal
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        from gunicorn.app.wsgiapp import run
        run()
        """

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        let folder = try TemporaryDirectory()
        let program = try ServerProgram("python", home: folder.url)
        try await program.run(
            [
                "-c", Self.start, "httpbin:app", "--bind", "127.0.0.1:0", "--threads", "16", "--keep-alive", "75",
                "--timeout", "0", "--graceful-timeout", "1",
                "--worker-tmp-dir", folder.url.path, "--no-control-socket",
            ],
            until: "Listening at: "
        ) { line in
            let address = line.split(separator: " ").first { $0.hasPrefix("http://") }
            let url = try #require(address.flatMap { URL(string: String($0)) }, "\(line)")
            try await Self.$url.withValue(url, operation: function)
        }
    }
}

extension Trait where Self == HTTPBinTrait {
    /// Runs the suite against a new httpbin.
    static var httpBin: Self { HTTPBinTrait() }
}
