/// Something in a page that keeps readers with a screen reader from using it (WCAG 2.2).
enum AccessibilityFault: Hashable {
    /// A control has no name (4.1.2), or a field no label (1.3.1, 3.3.2).
    case unnamedControl(role: String)

    /// An image has neither a name nor is it marked as decoration (1.1.1).
    case unnamedImage

    /// The page has no heading of the first level, or several (1.3.1, 2.4.6).
    case titles([String])

    /// A heading follows one that is more than one level above it (1.3.1).
    case skippedLevel(heading: String, after: Int)

    /// A heading has no text (2.4.6).
    case emptyHeading

    /// A region that every page has is missing, or is there more than once (1.3.1, 2.4.1).
    case region(role: String, count: Int)

    /// Two regions of one role have the same name, so that nobody can distinguish them (1.3.1).
    case ambiguousRegion(role: String, name: String)

    /// The page states no language in which it can be read out (3.1.1).
    case noLanguage

    /// The page has no title (2.4.2).
    case noTitle
}

extension AccessibilityTree {
    private static let controls: Set = [
        "button", "checkbox", "combobox", "ComboBoxSelect", "DisclosureTriangle", "DisclosureTriangleGrouped", "link",
        "listbox", "menuitem", "PopUpButton", "progressbar", "radio", "searchbox", "slider", "spinbutton", "switch",
        "tab", "textbox",
    ]

    private static let uniqueRegions = ["banner", "main", "contentinfo"]
    private static let regions = ["navigation", "search", "complementary", "region", "form"]

    /// All faults, in the order of the rules.
    var faults: [AccessibilityFault] {
        unnamed + headingFaults + regionFaults
            + (language.isEmpty ? [.noLanguage] : [])
            + (nodes.first?.name.isBlank == false ? [] : [.noTitle])
    }

    private var unnamed: [AccessibilityFault] {
        nodes.filter(\.name.isBlank).compactMap { node in
            if Self.controls.contains(node.role) { return .unnamedControl(role: node.role) }
            return ["image", "img", "graphics-document"].contains(node.role) ? .unnamedImage : nil
        }
    }

    private var headingFaults: [AccessibilityFault] {
        let headings = nodes.filter { $0.role == "heading" }
        let titles = headings.filter { $0.level == 1 }.map(\.name)
        var faults: [AccessibilityFault] = titles.count == 1 ? [] : [.titles(titles)]
        var last = 0
        for heading in headings {
            let level = heading.level ?? 0
            if level > last + 1 { faults.append(.skippedLevel(heading: heading.name, after: last)) }
            if heading.name.isBlank { faults.append(.emptyHeading) }
            last = level
        }
        return faults
    }

    private var regionFaults: [AccessibilityFault] {
        var faults: [AccessibilityFault] = []
        for role in Self.uniqueRegions {
            let count = nodes.count { $0.role == role }
            if count != 1 { faults.append(.region(role: role, count: count)) }
        }
        for role in Self.regions {
            // A form without a name is no region.
            let names = nodes.filter { $0.role == role && (role != "form" || !$0.name.isBlank) }.map(\.name)
            for name in Set(names).sorted() where names.count(where: { $0 == name }) > 1 {
                faults.append(.ambiguousRegion(role: role, name: name))
            }
        }
        return faults
    }
}

extension String {
    fileprivate var isBlank: Bool { allSatisfy(\.isWhitespace) }
}
