import DuetHTTP
import Foundation

/// A key without a character (https://www.w3.org/TR/webdriver2/#keyboard-actions).
enum Key: String {
    case backspace = "\u{E003}"
    case tab = "\u{E004}"
    case enter = "\u{E007}"
    case shift = "\u{E008}"
    case escape = "\u{E00C}"
    case space = "\u{E00D}"
    case end = "\u{E010}"
}

extension Window {
    /// Clicks on the first element of a CSS selector, with the mouse; waits until it is there and can be clicked.
    ///
    /// - Throws: ``PageTimeout``, also when something else is in front of the element.
    func click(_ selector: String) async throws {
        try await act(on: selector) { element in
            _ = try await send("POST", "element/\(element)/click")
        }
    }

    /// Types a text into the first element of a CSS selector; for a file's input, chooses the file of this path.
    ///
    /// - Throws: ``PageTimeout`` when the element does not appear.
    func type(_ text: String, into selector: String) async throws {
        try await act(on: selector) { element in
            _ = try await send("POST", "element/\(element)/value", ["text": .string(text)])
        }
    }

    /// Presses keys, one after the other, in the element that has the focus.
    ///
    /// - Throws: ``WebDriverError``.
    func press(_ keys: Key..., holding modifier: Key? = nil) async throws {
        let held = modifier?.rawValue
        try await perform(
            [held.map { keyAction("keyDown", $0) }].compactMap(\.self)
                + keys.flatMap { [keyAction("keyDown", $0.rawValue), keyAction("keyUp", $0.rawValue)] }
                + [held.map { keyAction("keyUp", $0) }].compactMap(\.self)
        )
    }

    /// Types a text in the element that has the focus.
    ///
    /// - Throws: ``WebDriverError``.
    func type(_ text: String) async throws {
        try await perform(text.flatMap { [keyAction("keyDown", String($0)), keyAction("keyUp", String($0))] })
    }

    /// Touches the window at a height, in CSS pixels, moves the finger to another one and perhaps back, calls `body`,
    /// and lifts the finger.
    ///
    /// - Throws: ``WebDriverError``; the error of `body`.
    func drag(
        from start: Int64,
        to end: Int64,
        back last: Int64? = nil,
        whileTouching body: () async throws -> Void = {}
    ) async throws {
        try await touch("touchStart", at: start)
        for height in [(start + end) / 2, end, last].compactMap(\.self) { try await touch("touchMove", at: height) }
        try await body()
        try await touch("touchEnd", at: nil)
    }

    private func touch(_ type: JSONValue, at height: Int64?) async throws {
        let points = height.map { [JSONValue.object(["x": 100, "y": .integer($0)])] } ?? []
        try await devTools("Input.dispatchTouchEvent", ["type": type, "touchPoints": .array(points)])
    }

    private func keyAction(_ type: String, _ key: String) -> JSONValue {
        ["type": .string(type), "value": .string(key)]
    }

    private func perform(_ actions: [JSONValue]) async throws {
        _ = try await send("POST", "actions", ["actions": [["type": "key", "id": "keys", "actions": .array(actions)]]])
    }

    /// Acts on an element, again if it has been replaced or cannot be reached yet.
    private func act(on selector: String, _ action: (_ id: String) async throws -> Void) async throws {
        try await poll {
            do {
                let element = try await send("POST", "element", ["using": "css selector", "value": .string(selector)])
                // The member's name is a constant of the specification.
                try await action(element["element-6066-11e4-a52e-4f735466cecf"].string ?? "")
                return ()
            } catch let error as WebDriverError where Self.isTemporary(error) {
                return nil
            }
        } orThrow: {
            PageTimeout(condition: "there is an element \(selector) to act on", page: await testDescription)
        }
    }

    private static func isTemporary(_ error: WebDriverError) -> Bool {
        [
            "no such element", "stale element reference", "element not interactable", "element click intercepted",
        ].contains(error.code)
    }
}
