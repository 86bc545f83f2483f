package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
)

// walk puts mutants into a statement or expression, outermost first.
func (r *rewriter) walk(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IfStmt:
			if n.Init != nil {
				r.walk(n.Init)
			}
			r.forced(n.Cond, "if ")
			r.walk(n.Body)
			if n.Else != nil {
				r.walk(n.Else)
			}
			return false
		case *ast.SwitchStmt:
			r.loops = append(r.loops, n)
			r.switched(n)
			r.loops = r.loops[:len(r.loops)-1]
			return false
		case *ast.SelectStmt, *ast.TypeSwitchStmt:
			r.loops = append(r.loops, n)
			for _, clause := range bodyOf(n).List {
				r.walk(clause)
			}
			r.loops = r.loops[:len(r.loops)-1]
			return false
		case *ast.ForStmt:
			if n.Init != nil {
				r.walk(n.Init)
			}
			if n.Cond != nil {
				r.expression(n.Cond)
			}
			r.loops = append(r.loops, n)
			r.walk(n.Body)
			r.loops = r.loops[:len(r.loops)-1]
			return false
		case *ast.RangeStmt:
			r.walk(n.X)
			r.loops = append(r.loops, n)
			r.walk(n.Body)
			r.loops = r.loops[:len(r.loops)-1]
			return false
		case *ast.FuncLit:
			around := r.loops
			r.loops = nil
			r.walk(n.Body)
			r.loops = around
			return false
		case *ast.BranchStmt:
			r.branch(n)
			return false
		case ast.Expr:
			return r.enter(n)
		}
		return true
	})
}

func bodyOf(n ast.Node) *ast.BlockStmt {
	switch n := n.(type) {
	case *ast.SelectStmt:
		return n.Body
	case *ast.TypeSwitchStmt:
		return n.Body
	}
	return nil
}

// enter puts mutants into an expression, and says whether to look into its parts.
func (r *rewriter) enter(n ast.Expr) bool {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		switch n.Op {
		case token.LAND, token.LOR:
			to, call := "||", "mutantAnd"
			if n.Op == token.LOR {
				to, call = "&&", "mutantOr"
			}
			number := r.add(n.OpPos, fmt.Sprintf("%s became %s in %s", n.Op, to, r.text(n)))
			r.insert(n.Pos(), fmt.Sprintf("%s(%d, func() bool { return (", call, number))
			r.walk(n.X)
			r.replace(n.OpPos, n.OpPos+2, ")}, func() bool { return (")
			r.walk(n.Y)
			r.insert(n.End(), ")})")
			return false
		case token.LSS, token.LEQ, token.GTR, token.GEQ:
			not := r.add(n.OpPos, "not "+r.text(n))
			edge := r.add(n.OpPos, "the boundary of "+r.text(n))
			r.insert(n.Pos(), fmt.Sprintf("mutantNot(%d, mutantOrder(%d, ", not, edge))
			r.walk(n.X)
			r.replace(n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), fmt.Sprintf(", %q, ", n.Op))
			r.walk(n.Y)
			r.insert(n.End(), "))")
			return false
		case token.EQL, token.NEQ:
			number := r.add(n.OpPos, "not "+r.text(n))
			r.insert(n.Pos(), fmt.Sprintf("mutantNot(%d, ", number))
			r.walk(n.X)
			r.walk(n.Y)
			r.insert(n.End(), ")")
			return false
		}
	case *ast.UnaryExpr:
		if n.Op == token.NOT {
			number := r.add(n.OpPos, "without the ! of "+r.text(n))
			r.insert(n.Pos(), fmt.Sprintf("mutantNot(%d, ", number))
			r.walk(n.X)
			r.insert(n.End(), ")")
			return false
		}
	case *ast.SelectorExpr:
		r.walk(n.X)
		return false
	case *ast.KeyValueExpr:
		r.walk(n.Value)
		return false
	case *ast.Ident:
		if r.times[n.Name] {
			twice, half := r.add(n.Pos(), n.Name+" is twice as long"), r.add(n.Pos(), n.Name+" is half as long")
			r.insert(n.Pos(), fmt.Sprintf("mutantTime(%d, %d, ", twice, half))
			r.insert(n.End(), ")")
		}
	}
	return true
}

func (r *rewriter) expression(n ast.Expr) { r.walk(n) }

// forced puts mutants around a condition: it never holds, or always.
func (r *rewriter) forced(n ast.Expr, of string) {
	never, always := r.add(n.Pos(), of+"never "+r.text(n)), r.add(n.Pos(), of+"always "+r.text(n))
	r.insert(n.Pos(), fmt.Sprintf("mutantForced(%d, %d, ", never, always))
	r.walk(n)
	r.insert(n.End(), ")")
}

// switched makes each case never come, or always.
func (r *rewriter) switched(n *ast.SwitchStmt) {
	if n.Init != nil {
		r.walk(n.Init)
	}
	if n.Tag != nil {
		words := slices.ContainsFunc(n.Body.List, func(stmt ast.Stmt) bool {
			clause, is := stmt.(*ast.CaseClause)
			return is && slices.ContainsFunc(clause.List, isWord)
		})
		if words {
			r.insert(n.Tag.Pos(), "string(")
		}
		r.walk(n.Tag)
		if words {
			r.insert(n.Tag.End(), ")")
		}
	}
	for _, stmt := range n.Body.List {
		clause, is := stmt.(*ast.CaseClause)
		if !is {
			continue
		}
		for _, value := range clause.List {
			switch {
			case n.Tag == nil:
				r.forced(value, "case ")
			case isWord(value):
				number := r.add(value.Pos(), "without case "+r.text(value))
				r.insert(value.Pos(), fmt.Sprintf("mutantWord(%d, ", number))
				r.insert(value.End(), ")")
			}
		}
		for _, inner := range clause.Body {
			r.walk(inner)
		}
	}
}

func isWord(n ast.Expr) bool {
	literal, is := n.(*ast.BasicLit)
	return is && literal.Kind == token.STRING
}

// branch swaps break and continue of a loop.
func (r *rewriter) branch(n *ast.BranchStmt) {
	if n.Label != nil || len(r.loops) == 0 {
		return
	}
	switch r.loops[len(r.loops)-1].(type) {
	case *ast.ForStmt, *ast.RangeStmt:
	default:
		return
	}
	to := map[token.Token]string{token.BREAK: "continue", token.CONTINUE: "break"}[n.Tok]
	if to == "" {
		return
	}
	number := r.add(n.Pos(), n.Tok.String()+" became "+to)
	r.insert(n.Pos(), fmt.Sprintf("if mutantOn(%d) { %s }; ", number, to))
}
