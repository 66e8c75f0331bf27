import FeedTesting
import Testing

/// The keyboard alone.
enum KeyboardChecks {
    static func keyboard() async throws {
        try await Reader.visit { reader in
            let window = reader.window
            try await reader.open()
            try await window.tab(to: ".card h2 a")
            #expect(try await window.value(of: outlineWidth(".card")) != "0px")
            try await window.press(.enter)
            try await window.wait(until: "document.querySelector('#comment')")
            try await window.tab(to: "#message", limit: 25)
            try await window.type("Only keys")
            try await window.tab(to: "#username")
            try await window.type("Ann")
            try await window.tab(to: "#comment button")
            try await window.press(.enter)
            try await window.wait(until: "document.querySelectorAll('.comment').length == 4")
            try await window.wait(until: "document.activeElement.id == 'message'")
            try await window.tab(to: ".back", backward: true, limit: 25)
            try await window.press(.enter)
            try await window.wait(forCards: 10)

            // To the end, while pages are loaded and the control disappears.
            try await window.tab(to: ".footer a", limit: 40)
            #expect(try await window.count("#more") == 0)
            #expect(try await window.count(".card") == 12)
        }
    }

    private static func outlineWidth(_ selector: String) -> String {
        "getComputedStyle(document.querySelector(\(selector.quoted))).outlineWidth"
    }
}

extension Window {
    /// Presses Tab until an element has the focus, which must never be lost on the way.
    ///
    /// - Parameters:
    ///   - selector: The CSS selector of the element.
    ///   - backward: Whether to hold Shift.
    ///   - limit: How often Tab is pressed at most.
    func tab(to selector: String, backward: Bool = false, limit: Int = 15) async throws {
        for _ in 0..<limit {
            try await press(.tab, holding: backward ? .shift : nil)
            let isThere = try await value(of: "document.activeElement.matches(\(selector.quoted))")
            if isThere.isTrue { return }
            let isLost = try await value(of: "document.activeElement == document.body")
            if isLost.isTrue { throw PageTimeout(condition: "the focus is somewhere", page: await testDescription) }
        }
        throw PageTimeout(condition: "\(selector) has the focus", page: await testDescription)
    }
}
