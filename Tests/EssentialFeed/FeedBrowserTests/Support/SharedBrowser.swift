import Testing

/// Runs the tests of a suite with one browser, because starting it takes longer than most of them.
struct SharedBrowser: SuiteTrait, TestScoping {
    /// The browser of the running suite.
    @TaskLocal static var current: Browser?

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await ChromeDriver.run { driver in
            try await Browser.run(driver) { browser in
                try await Self.$current.withValue(browser) { try await function() }
            }
        }
    }
}

extension Trait where Self == SharedBrowser {
    /// One browser for all tests of the suite.
    static var sharedBrowser: Self { SharedBrowser() }
}

/// The tests with a browser except for the list of behavior, one after the other.
@Suite(.serialized, .sharedBrowser, .timeLimit(.minutes(5))) enum InBrowser {}
