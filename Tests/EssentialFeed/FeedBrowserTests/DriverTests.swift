import DuetHTTP
import Foundation
import Testing

extension InBrowser {
    /// The driver itself.
    @Suite struct DriverTests {
        @Test func `a page is opened, read and acted on`() async throws {
            try await Reader.visit { reader in
                try await reader.open()
                let window = reader.window
                #expect(try await window.value(of: "document.title") == "My Feed")
                try await window.click("nav.session a")
                try await window.wait(until: "location.pathname == '/sign-in'")
                try await window.type("secret", into: "#token")
                #expect(try await window.value(of: "document.querySelector('#token').value") == "secret")
                try await window.press(.tab)
                #expect(try await window.value(of: "document.activeElement.textContent") == "Sign in")
            }
        }
    }
}
