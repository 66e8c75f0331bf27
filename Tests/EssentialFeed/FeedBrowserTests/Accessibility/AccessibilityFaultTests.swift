import DuetHTTP
import Foundation
import Testing

/// The check itself: a page that has no faults, and pages with one fault each.
@Suite struct AccessibilityFaultTests {
    private typealias Node = AccessibilityTree.Node

    private let nodes = [
        Node("RootWebArea", "My Feed"), Node("banner"), Node("heading", "My Feed", level: 1), Node("button", "Refresh"),
        Node("main"), Node("heading", "A cat", level: 2), Node("image", "A cat"), Node("textbox", "Name"),
        Node("contentinfo"), Node("navigation", "Language"), Node("link", "English"),
    ]

    @Test func `a page without faults passes`() {
        #expect(faults(nodes) == [])
    }

    @Test(arguments: ["button", "link", "textbox", "searchbox", "checkbox", "ComboBoxSelect", "DisclosureTriangle"])
    func `a control without a name is a fault`(role: String) {
        #expect(faults(nodes + [Node(role)]) == [.unnamedControl(role: role)])
        #expect(faults(nodes + [Node(role, " \n")]) == [.unnamedControl(role: role)])
        #expect(faults(nodes + [Node(role, "A name")]) == [])
    }

    @Test func `an image without a name is a fault`() {
        #expect(faults(nodes + [Node("image")]) == [.unnamedImage])
    }

    @Test func `there is exactly one heading of the first level`() {
        let second = Node("heading", "Another", level: 1)
        #expect(faults(nodes + [second]) == [.titles(["My Feed", "Another"])])
        let without = nodes.filter { $0.role != "heading" }
        #expect(faults(without) == [.titles([])])
    }

    @Test func `no level of headings is skipped on the way down`() {
        let third = Node("heading", "Third", level: 3)
        let fourth = Node("heading", "Fourth", level: 4)
        let second = Node("heading", "Second", level: 2)
        #expect(faults(nodes + [third, fourth, second]) == [])
        #expect(faults(nodes + [fourth]) == [.skippedLevel(heading: "Fourth", after: 2)])
        #expect(faults(nodes + [Node("heading", level: 2)]) == [.emptyHeading])
    }

    @Test(arguments: ["banner", "main", "contentinfo"])
    func `each page has one region of a kind`(role: String) {
        #expect(faults(nodes.filter { $0.role != role }) == [.region(role: role, count: 0)])
        #expect(faults(nodes + [Node(role)]) == [.region(role: role, count: 2)])
    }

    @Test func `regions of one kind have different names`() {
        #expect(faults(nodes + [Node("navigation"), Node("form"), Node("form")]) == [])
        let again = Node("navigation", "Language")
        #expect(faults(nodes + [again]) == [.ambiguousRegion(role: "navigation", name: "Language")])
    }

    @Test func `the page has a language and a title`() {
        #expect(AccessibilityTree(language: "", nodes: nodes).faults == [.noLanguage])
        #expect(faults([Node("RootWebArea")] + nodes.dropFirst()) == [.noTitle])
        #expect(AccessibilityTree(language: "", nodes: []).faults.count == 6)
    }

    @Test func `a response is read in the order of the document, without hidden nodes`() throws {
        let response = """
            {"nodes": [
                {"nodeId": "3", "parentId": "2", "role": {"value": "heading"}, "name": {"value": "Hello"},
                 "properties": [{"name": "level", "value": {"value": 2}}]},
                {"nodeId": "1", "role": {"value": "RootWebArea"}, "name": {"value": "Title"}, "childIds": ["4", "2"]},
                {"nodeId": "2", "parentId": "1", "ignored": true, "role": {"value": "none"}, "childIds": ["3"]},
                {"nodeId": "4", "parentId": "1", "ignored": false, "role": {"value": "button"}}
            ]}
            """
        let json = try JSONDecoder().decode(JSONValue.self, from: Data(response.utf8))
        let tree = AccessibilityTree(language: "en", response: json)
        #expect(tree.nodes == [Node("RootWebArea", "Title"), Node("button"), Node("heading", "Hello", level: 2)])
    }

    private func faults(_ nodes: [Node]) -> [AccessibilityFault] {
        AccessibilityTree(language: "en", nodes: nodes).faults
    }
}
