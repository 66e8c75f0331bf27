import FeedComposition
import FeedTesting
import Testing

extension InBrowser {
    /// Every page, as screen readers see it.
    @Suite struct AccessibilityTests {
        @Test func `the feed and its search have no faults`() async throws {
            try await Reader.visit { reader in
                try await reader.open()
                try await check(reader)
                try await reader.open("?q=cat&sort=oldest&lang=el")
                try await check(reader)
                try await reader.open("?q=unicorn&lang=pt-BR")
                try await check(reader)
            }
        }

        @Test func `an image's page has no faults, also with a fault in its form`() async throws {
            try await Reader.visit { reader in
                try await reader.open()
                try await reader.open(SampleFeed.dandelions)
                try await check(reader)
                // The server reports the fault to browsers without scripts.
                try await reader.window.setScripts(enabled: false)
                try await reader.open(SampleFeed.dandelions)
                try await reader.window.type(" ", into: "#message")
                try await reader.window.type("Ann", into: "#username")
                try await reader.window.click("#comment button")
                try await reader.window.wait(until: "document.querySelector('#message[aria-invalid]')")
                try await check(reader)
            }
        }

        @Test func `the pages for members have no faults`() async throws {
            try await Reader.visit { reader in
                try await reader.open("sign-in")
                try await check(reader)
                try await reader.window.type("wrong", into: "#token")
                try await reader.window.click("form.form button")
                try await reader.window.wait(until: "document.querySelector('#token[aria-invalid]')")
                try await check(reader)
                try await reader.open()
                try await reader.signIn(openingThen: "publish")
                try await check(reader)
                for path in [
                    "", SampleFeed.dandelions, "\(SampleFeed.dandelions)/remove", "\(SampleFeed.dandelions)/edit",
                ] {
                    try await reader.open(path)
                    try await check(reader)
                }
            }
        }

        @Test func `pages for errors and for nothing have no faults`() async throws {
            try await Reader.visit(seed: .nothing) { reader in
                try await reader.open()
                try await check(reader)
                try await reader.site.backend.stop()
                for path in ["", "nowhere", "offline", SampleFeed.dandelions] {
                    try await reader.open(path)
                    try await check(reader)
                }
            }
        }

        @Test func `the saved feed has no faults`() async throws {
            try await Reader.visit { reader in
                try await reader.open()
                try await reader.site.backend.stop()
                try await reader.window.reload()
                try await reader.window.wait(until: "document.querySelector('.age')")
                try await check(reader)
            }
        }

        @Test func `the page for developers has no faults`() async throws {
            try await Reader.visit(inspects: true) { reader in
                try await reader.open()
                try await reader.open("inspect?token=token")
                let faults = try await reader.window.accessibilityTree.faults
                // It has no footer.
                #expect(faults == [.region(role: "contentinfo", count: 0)])
            }
        }

        @Test func `faults of a real page are found`() async throws {
            try await Reader.visit { reader in
                try await reader.open()
                try await reader.window.run(
                    """
                    document.documentElement.removeAttribute('lang');
                    document.querySelector('h1').remove();
                    for (const name of ['aria-label', 'title']) document.querySelector('#refresh button').removeAttribute(name);
                    document.querySelector('.card h2').outerHTML = '<h4>Too deep</h4><img src="/icon.svg">';
                    document.querySelector('footer').remove();
                    """
                )
                let faults = try await reader.window.accessibilityTree.faults
                let expected: Set<AccessibilityFault> = [
                    .unnamedControl(role: "button"), .unnamedImage, .titles([]),
                    .skippedLevel(heading: "Too deep", after: 0), .region(role: "contentinfo", count: 0), .noLanguage,
                ]
                #expect(Set(faults) == expected)
            }
        }

        private func check(_ reader: Reader, at location: SourceLocation = #_sourceLocation) async throws {
            let tree = try await reader.window.accessibilityTree
            let page = try await reader.window.value(of: "location.pathname + location.search").string ?? ""
            #expect(tree.faults == [], "\(page)", sourceLocation: location)
            // A tree that could not be read would have no controls, and no faults in them.
            #expect(tree.nodes.count { $0.role == "link" } >= 4, "\(page)", sourceLocation: location)
        }
    }
}
